// Prepares a step: the side, its prompt and models, the tools that it may call, the system prompt, and the messages in four stages:
// history, filters, budget, attachments.

import { refuse, ThreadholdError } from "#contract/error.ts";
import type { Side } from "#contract/message.ts";
import type { Faults } from "#core/ports/faults.ts";
import type { ModelMessage } from "#core/ports/model-port.ts";
import type { PlanOptions, StepPlan, StepPort, StepProblem, StepTools, ToolMode } from "#core/ports/step-port.ts";
import type { StepShape } from "#core/ports/strategy.ts";
import type { ThreadFiles } from "#core/ports/thread-files.ts";
import type { MessageRecord } from "#core/record.ts";
import { withAttachments } from "#core/request/request-attachments.ts";
import type { AttachmentView } from "#core/request/request-attachments.ts";
import { endWithPrompt, unstoredUserMessage } from "#core/request/request-messages.ts";
import { isInScope, mainScope } from "#core/scope.ts";
import type { Scope } from "#core/scope.ts";
import type { AnyAgentDefinition, AnyModelDefinition, AnyPromptDefinition } from "#spec/index.ts";

import { sideOf } from "./conversation-strategy.ts";
import { earlierMessages, filtered } from "./history.ts";
import type { StepHistory } from "./history.ts";
import type { HookRunner } from "./hook-runner.ts";
import type { Definitions } from "./project-definitions.ts";
import { requestTrace } from "./request-trace.ts";
import { systemPrompt } from "./system-prompt.ts";
import type { SectionSource } from "./system-prompt.ts";
import type { BuilderFor } from "./tool-source/prompt-tools.ts";
import { resolveTools, unavailableSection, withUnavailable } from "./tool-source/tool-source.ts";
import type { ResolvedTools, ToolSource } from "./tool-source/tool-source.ts";

/** What a builder needs. */
export interface StepSources {
  definitions: Definitions;
  hooks: HookRunner;
  faults: Faults;
  /** The sources of tools, in order. A source of prompts needs the builder of the steps under a call. */
  tools: (builderFor: BuilderFor) => readonly ToolSource[];
  /** The sources of the system prompt's sections, in order. */
  sections: readonly SectionSource[];
  /** The run's messages so far, with those of nested loops. */
  own: () => readonly MessageRecord[];
  /** The thread's files; without them, a file is sent as a line with its name. */
  files?: ThreadFiles;
}

/** The side that takes a loop's steps, and the messages before them. */
export interface Speaker {
  line: Scope;
  /** Asked for each step: the turn may have changed, or the agent. */
  voice: () => Promise<{ prompt: AnyPromptDefinition; side: Side; agent: AnyAgentDefinition }>;
  /** The messages before this loop, oldest first: the newest `limit` messages of the branch, and those of this run. */
  above: (limit: number) => MessageRecord[];
}

/** The most rows of the branch that `filter_messages` receives if the prompt does not include earlier messages. */
const filteredRows = 1000;

/** Builds the steps of one line. */
export class StepBuilder implements StepPort {
  readonly #sources: StepSources;
  readonly #speaker: Speaker;
  readonly #toolSources: readonly ToolSource[];
  /** The prompt of the current step; null before the first one. */
  #prompt: AnyPromptDefinition | null = null;

  constructor(sources: StepSources, speaker: Speaker) {
    this.#sources = sources;
    this.#speaker = speaker;
    this.#toolSources = sources.tools(this.#builderFor);
  }

  /** The messages of the current step's request, and those that this loop added since. */
  get loaded(): MessageRecord[] {
    return this.#prompt === null ? this.#own() : this.#included(this.#prompt);
  }

  plan(shape: StepShape, _signal?: AbortSignal, { squeeze = 0 }: PlanOptions = {}): Promise<StepPlan | StepProblem> {
    return orProblem(() => this.#plan(shape, squeeze));
  }

  tools(names: readonly string[]): Promise<StepTools | StepProblem> {
    return orProblem(async () => {
      const { prompt, side } = await this.#speaker.voice();
      this.#prompt = prompt;
      await this.#sources.faults.at("plan.call-tools");
      const listed = await resolveTools(prompt.tools ?? [], this.#toolSources);
      // A name may be undefined: a release removed it, or the thread was imported from another project. Its call gets an error.
      const failed = new Set(listed.failures.map(({ entry }) => entry));
      const unlisted = names.filter((name) => !listed.tools.has(name) && !failed.has(name));
      await this.#sources.faults.at("plan.named-tools");
      const named = await resolveTools(unlisted, this.#toolSources);
      const tools = new Map([...listed.tools, ...named.tools]);
      const failures = [...listed.failures, ...named.failures];
      return { ...toolsOf({ tools, failures }), toolMode: toolMode(prompt), ...this.#place(side) };
    });
  }

  /** The stages of a plan: tools and system prompt, then the messages by history, filters, budget and attachments. */
  async #plan(shape: StepShape, squeeze: number): Promise<StepPlan> {
    const { faults, hooks, sections } = this.#sources;
    const { prompt, side, agent } = await this.#speaker.voice();
    this.#prompt = prompt;
    const models = await this.#models(prompt);
    const callable = models[0].capabilities?.functionCalling !== false;
    await faults.at("plan.tools");
    const resolved = await resolveTools(callable ? (prompt.tools ?? []) : [], this.#toolSources);
    const unavailable = unavailableSection(resolved.failures);
    const system = await systemPrompt(prompt, [...sections, () => Promise.resolve(unavailable)]);
    const stored = this.#history(prompt);
    const chosen = await filtered(stored, hooks, { side, agent });
    const sent = await withAttachments(chosen, this.#budget(prompt, models, squeeze));
    const request = {
      system,
      messages: withLastLine(sent, shape, agent),
      tools: [...resolved.tools.values()].map((tool) => tool.spec),
      toolChoice: shape.toolChoice ?? prompt.toolChoice ?? "auto",
      parallelToolCalls: prompt.parallelToolCalls ?? false,
      reasoning: prompt.reasoning ?? null,
      temperature: prompt.temperature ?? null,
      maxTokens: prompt.maxTokens ?? null,
    };
    const candidates = stored.included.map((message) => message.id);
    const trace = await requestTrace(prompt.name, request, candidates);
    return { models, request, ...toolsOf(resolved), toolMode: toolMode(prompt), trace, ...this.#place(side) };
  }

  #place(side: Side): Pick<StepPlan, "side" | "role" | "depth"> {
    const { depth } = this.#speaker.line;
    return { side, role: side === "b" && depth === 0 ? "user" : "assistant", depth };
  }

  async #models(prompt: AnyPromptDefinition): Promise<[AnyModelDefinition, ...AnyModelDefinition[]]> {
    const { definitions } = this.#sources;
    const first = await definitions.model(prompt.model);
    const rest = await Promise.all((first.fallbacks ?? []).map((name) => definitions.model(name)));
    return [first, ...rest];
  }

  /** What may be sent of files. A squeezed plan sends their names alone. */
  #budget(
    { recentImageThreshold: recent }: AnyPromptDefinition,
    models: readonly AnyModelDefinition[],
    squeeze: number,
  ): AttachmentView {
    return { files: squeeze > 0 ? undefined : this.#sources.files, models, recent };
  }

  /** Rows that the prompt does not include are read only if there is a `filter_messages` hook. */
  #history(prompt: AnyPromptDefinition): StepHistory {
    const included = this.#included(prompt);
    if (!this.#sources.hooks.filtersMessages) return { included, stored: included };
    return { included, stored: [...this.#speaker.above(aboveLimit(prompt, filteredRows)), ...this.#own()] };
  }

  #included(prompt: AnyPromptDefinition): MessageRecord[] {
    const own = this.#own();
    const limit = aboveLimit(prompt, 0);
    return [...(limit === 0 ? [] : earlierMessages(this.#speaker.above(limit), prompt, own)), ...own];
  }

  #own(): MessageRecord[] {
    return this.#sources.own().filter((message) => isInScope(this.#speaker.line, message));
  }

  /** The builder of a line under one of this line's calls; what is above it ends before that call's answer. */
  readonly #builderFor = (line: Scope, call: MessageRecord, promptName: string): StepBuilder => {
    const { definitions, own } = this.#sources;
    const { voice, above, line: caller } = this.#speaker;
    return new StepBuilder(this.#sources, {
      line,
      voice: async () => ({ ...(await voice()), prompt: await definitions.prompt(promptName) }),
      above: (limit) => {
        const before = own().filter((message) => isInScope(caller, message) && message.position < call.position);
        const answer = before.findLastIndex(({ parts }) => holds(parts, call.tool_call_id));
        return [...above(limit), ...before.slice(0, answer === -1 ? before.length : answer)];
      },
    });
  };
}

/** The speaker of a run's own line. */
export function mainSpeaker(
  { definitions }: Pick<StepSources, "definitions">,
  turn: {
    agent: () => Promise<AnyAgentDefinition>;
    side: () => Side;
    /** The newest `limit` messages before the run, oldest first. */
    earlier: (limit: number) => MessageRecord[];
  },
): Speaker {
  let read: { limit: number; messages: MessageRecord[] } | null = null;
  return {
    line: mainScope,
    voice: async () => {
      const agent = await turn.agent();
      const side = turn.side();
      return { prompt: await definitions.prompt(sideOf(agent, side).prompt), side, agent };
    },
    above: (limit) => {
      if (read === null || read.limit < limit) read = { limit, messages: turn.earlier(limit) };
      return read.limit === limit ? read.messages : read.messages.slice(-limit);
    },
  };
}

/** The tools of a plan, and warnings about those whose source failed. */
function toolsOf(resolved: ResolvedTools): Pick<StepPlan, "tools" | "warnings"> {
  const tools = withUnavailable(resolved);
  if (resolved.failures.length === 0) return { tools };
  return { tools, warnings: resolved.failures.map(({ warning }) => warning) };
}

/** The number of messages before its loop that a prompt is sent: all of them with `includeChat`, else `otherwise`. */
function aboveLimit({ includeChat }: AnyPromptDefinition, otherwise: number): number {
  return includeChat === true ? allMessages : otherwise;
}

const allMessages = 1_000_000;

async function orProblem<T>(work: () => Promise<T>): Promise<T | StepProblem> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof ThreadholdError)) throw thrown;
    return { problem: { code: thrown.code, message: thrown.message } };
  }
}

function holds(parts: MessageRecord["parts"], callId: string | null): boolean {
  return parts.some((part) => part.type === "tool_call" && part.id === callId);
}

/** Ends the messages with something that a model can answer. */
function withLastLine(messages: ModelMessage[], { instruction }: StepShape, agent: AnyAgentDefinition): ModelMessage[] {
  if (messages.length > 0 || instruction !== undefined) return endWithPrompt(messages, instruction);
  if (agent.type === "dual_ai") return [unstoredUserMessage(begin)];
  throw refuse("conflict", nothingToSend);
}

/** Said to the first of two models where nobody has said anything (decision 9). */
const begin = "Begin.";

const nothingToSend =
  "No message is left to send to the model. A prompt without includeChat sees only the messages of its own run, " +
  "and hooks may leave out more.";

/** Calls of a step run side by side only where the prompt lets the model ask for several (Standard Agents). */
function toolMode(prompt: AnyPromptDefinition): ToolMode {
  return prompt.toolMode ?? (prompt.parallelToolCalls === true ? "parallel" : "sequential");
}
