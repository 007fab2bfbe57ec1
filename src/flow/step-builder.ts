// Makes a step ready: the side's prompt and model, the tools it may call, the history it sees.

import { refuse, ThreadholdError } from "#contract/error.ts";
import type { ModelMessage } from "#core/ports/model-port.ts";
import type { StepPlan, StepPort, StepProblem, ToolMode } from "#core/ports/step-port.ts";
import type { StepShape } from "#core/ports/strategy.ts";
import type { ToolRunner } from "#core/ports/tool-port.ts";
import type { MessageRecord } from "#core/record.ts";
import type { AnyModelDefinition, AnyPromptDefinition, ThreadState } from "#spec/index.ts";

import type { Definitions } from "./definitions.ts";
import { earlierMessages, history } from "./history.ts";
import type { HookRunner } from "./hook-runner.ts";
import { requestTrace } from "./request-trace.ts";
import { systemPrompt } from "./system-prompt.ts";
import { toolRunner } from "./tool-runner.ts";

/** What the builder is given. `earlier` reads the messages before the run and is called at most once. */
export interface StepSources {
  definitions: Definitions;
  hooks: HookRunner;
  state: ThreadState;
  agentName: () => string;
  earlier: () => MessageRecord[];
  own: () => readonly MessageRecord[];
}

/** Builds the steps of one run. */
export class StepBuilder implements StepPort {
  readonly #sources: StepSources;
  #earlier: MessageRecord[] | null = null;

  constructor(sources: StepSources) {
    this.#sources = sources;
  }

  async plan(shape: StepShape): Promise<StepPlan | StepProblem> {
    try {
      return await this.#plan(shape);
    } catch (thrown) {
      if (!(thrown instanceof ThreadholdError)) throw thrown;
      return { problem: { code: thrown.code, message: thrown.message } };
    }
  }

  async #plan(shape: StepShape): Promise<StepPlan> {
    const { definitions } = this.#sources;
    const agent = await definitions.agent(this.#sources.agentName());
    const prompt = await definitions.prompt(agent.sideA.prompt);
    const models = await this.#models(prompt);
    const tools = await this.#tools(prompt, models[0]);
    const system = await systemPrompt(prompt, definitions);
    const candidates = this.#candidates(prompt);
    const messages = await this.#messages(candidates, shape);
    if (messages.length === 0) throw refuse("conflict", nothingToSend);
    const request = {
      system,
      messages,
      tools: [...tools.values()].map((tool) => tool.spec),
      toolChoice: shape.toolChoice ?? prompt.toolChoice ?? "auto",
      parallelToolCalls: prompt.parallelToolCalls ?? false,
      reasoning: prompt.reasoning ?? null,
      temperature: prompt.temperature ?? null,
      maxTokens: prompt.maxTokens ?? null,
    };
    return {
      models,
      request,
      tools,
      toolMode: toolMode(prompt),
      side: "a",
      depth: 0,
      trace: await requestTrace(
        prompt.name,
        request,
        candidates.map((message) => message.id),
      ),
    };
  }

  async #models(prompt: AnyPromptDefinition): Promise<[AnyModelDefinition, ...AnyModelDefinition[]]> {
    const { definitions } = this.#sources;
    const first = await definitions.model(prompt.model);
    const rest = await Promise.all((first.fallbacks ?? []).map((name) => definitions.model(name)));
    return [first, ...rest];
  }

  async #tools(prompt: AnyPromptDefinition, model: AnyModelDefinition): Promise<ReadonlyMap<string, ToolRunner>> {
    const { definitions, state } = this.#sources;
    const runners = new Map<string, ToolRunner>();
    if (model.capabilities?.functionCalling === false) return runners;
    for (const entry of prompt.tools ?? []) {
      const name = typeof entry === "string" ? entry : entry.name;
      if (!definitions.has("tools", name)) continue;
      runners.set(name, toolRunner(name, await definitions.tool(name), state));
    }
    return runners;
  }

  #candidates(prompt: AnyPromptDefinition): MessageRecord[] {
    if (prompt.includeChat === true) this.#earlier ??= this.#sources.earlier();
    return [...earlierMessages(this.#earlier ?? [], prompt), ...this.#sources.own()];
  }

  async #messages(candidates: readonly MessageRecord[], { instruction }: StepShape): Promise<ModelMessage[]> {
    const messages = await history(candidates, this.#sources.hooks);
    if (instruction !== undefined) return [...messages, userLine(instruction)];
    return messages.at(-1)?.role === "assistant" ? [...messages, userLine(goOn)] : messages;
  }
}

/**
 * Said after an answer that is to go on: a history that ends in an answer is refused by some models and taken for the
 * beginning of the next one by others.
 */
const goOn = "Continue.";

/** A line that is sent and never stored. */
function userLine(text: string): ModelMessage {
  return { id: null, role: "user", parts: [{ type: "text", text }], name: null, tool_call_id: null, result: null };
}

const nothingToSend =
  "No message is left to send to the model. A prompt without includeChat sees only the messages of its own run, " +
  "and hooks may leave out more.";

/** Calls of a step run side by side only where the prompt lets the model ask for several (Standard Agents). */
function toolMode(prompt: AnyPromptDefinition): ToolMode {
  return prompt.toolMode ?? (prompt.parallelToolCalls === true ? "parallel" : "sequential");
}
