// A tool that runs models by itself. Each test sets what the tool does.

import { z } from "zod";

import { createProvider } from "#facade/upp/create-provider.ts";
import { llm } from "#facade/upp/index.ts";
import type { LLMOptions } from "#facade/upp/llm.ts";
import { defineAgent, definePrompt, defineTool } from "#spec/index.ts";
import type { TestTurn, ThreadState, ToolCall } from "#spec/index.ts";

/** What the tool does, by its argument. It returns the text of the result. */
export const works = new Map<string, (state: ThreadState, call: ToolCall) => Promise<string>>();

const consult = defineTool(
  "Consults a model",
  z.object({ work: z.string() }),
  async (state: ThreadState, args, call) => ({
    status: "success",
    result: (await works.get(args.work)?.(state, call)) ?? "nothing to do",
  }),
);

const prices = { inputPrice: 100, outputPrice: 1000 };

/** A model inside of the tool. Each answer has 10 tokens of input and 1 of output. */
export function inner(state: ThreadState | undefined, script: readonly TestTurn[], more: Partial<LLMOptions> = {}) {
  const turns = script.map((turn) => ({ usage: { input: 10, output: 1 }, ...turn }));
  const model = createProvider({ protocol: "test", name: "inner" })("inner-model", { script: turns, ...prices });
  return llm({ model, ...(state === undefined ? {} : { in: state }), ...more });
}

/** The cost of one answer of the inner model in USD. */
export const innerCost = (10 * prices.inputPrice + prices.outputPrice) / 1_000_000;

export const executedTools = { consult };

export const executedPrompts = [
  definePrompt({
    name: "consulting",
    toolDescription: "Consults",
    prompt: "You are a test.",
    model: "scripted",
    includeChat: true,
    parallelToolCalls: true,
    tools: ["consult"],
  }),
];

export const executedAgents = [defineAgent({ name: "consulting", sideA: { prompt: "consulting" } })];
