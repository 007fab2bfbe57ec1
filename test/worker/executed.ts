// Tools that run models and agents by themselves. Each test sets what a tool does.

import { z } from "zod";

import type { AgentOptions } from "#facade/uap/agent-contract.ts";
import { agent } from "#facade/uap/index.ts";
import { createProvider } from "#facade/upp/create-provider.ts";
import { llm } from "#facade/upp/index.ts";
import type { LLMOptions } from "#facade/upp/llm.ts";
import { defineAgent, definePrompt, defineTool } from "#spec/index.ts";
import type { ReconcileAnswer, TestTurn, ThreadState, ToolCall, ToolOptions } from "#spec/index.ts";

/** What the tool does, by its argument. It returns the text of the result. */
export const toolFunctions = new Map<string, (state: ThreadState, call: ToolCall) => Promise<string>>();

/** How the outcome of an interrupted call of `consult_known` is found out, by the call's argument. */
export const reconciledOutcomes = new Map<string, (state: ThreadState, callId: string) => Promise<ReconcileAnswer>>();

type Args = { work: string };

const consulting = (options: ToolOptions<ThreadState, Args> = {}) =>
  defineTool(
    "Consults a model",
    z.object({ work: z.string() }),
    async (state: ThreadState, args, call) => ({
      status: "success",
      result: (await toolFunctions.get(args.work)?.(state, call)) ?? "nothing to do",
    }),
    options,
  );

const reconcile = (callId: string, { work }: Args, state: ThreadState): Promise<ReconcileAnswer> =>
  reconciledOutcomes.get(work)?.(state, callId) ?? Promise.resolve("not_done");

const prices = { inputPrice: 100, outputPrice: 1000 };

/** A model of a tool. Each answer has 10 tokens of input and 1 of output. */
export function innerModel(script: readonly TestTurn[], name = "inner-model") {
  const turns = script.map((turn) => ({ usage: { input: 10, output: 1 }, ...turn }));
  return createProvider({ protocol: "test", name: "inner" })(name, { script: turns, ...prices });
}

/** A model inside of the tool. */
export function inner(state: ThreadState | undefined, script: readonly TestTurn[], more: Partial<LLMOptions> = {}) {
  return llm({ model: innerModel(script), ...(state === undefined ? {} : { in: state }), ...more });
}

/** An agent inside of the tool. */
export function innerAgent(state: ThreadState, script: readonly TestTurn[], more: AgentOptions = {}) {
  return agent({ name: "helper", model: innerModel(script), in: state, ...more });
}

/** The cost of one answer of the inner model in USD. */
export const innerCost = (10 * prices.inputPrice + prices.outputPrice) / 1_000_000;

export const executedTools = {
  consult: consulting(),
  consult_again: consulting({ idempotent: true }),
  consult_known: consulting({ reconcile }),
};

export const executedPrompts = [
  definePrompt({
    name: "consulting",
    toolDescription: "Consults",
    prompt: "You are a test.",
    model: "scripted",
    includeChat: true,
    parallelToolCalls: true,
    tools: ["consult", "consult_again", "consult_known"],
  }),
];

export const executedAgents = [defineAgent({ name: "consulting", sideA: { prompt: "consulting" } })];
