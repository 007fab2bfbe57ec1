// Prepares a step: side, prompt, models, tools, system prompt, and messages. Messages pass four stages: history, filter hooks, budget of
// attachments, attachments.

import { refuse, ThreadholdError } from "#contract/error.ts";
import type { Side } from "#contract/thread-message.ts";
import type { Faults } from "#core/ports/faults.ts";
import type { ModelMessage } from "#core/ports/model-port.ts";
import type { PlanOptions, StepPlan, StepPort, StepProblem, StepTools, ToolMode } from "#core/ports/step-port.ts";
import type { StepShape } from "#core/ports/strategy-port.ts";
import type { ThreadFiles } from "#core/ports/thread-file-port.ts";
import type { MessageRecord } from "#core/record.ts";
import { withAttachments } from "#core/request/request-attachments.ts";
import type { AttachmentView } from "#core/request/request-attachments.ts";
import { endWithPrompt, unstoredUserMessage } from "#core/request/request-messages.ts";
import { isInScope, mainScope } from "#core/scope.ts";
import type { Scope } from "#core/scope.ts";
import type { AnyAgentDefinition, AnyModelDefinition, AnyPromptDefinition } from "#spec/index.ts";

import { sideOf } from "./conversation-strategy.ts";
import { filteredMessages } from "./filter-hooks.ts";
import { earlierMessages, modelMessages } from "./history.ts";
import type { HookRunner } from "./hook-runner.ts";
import type { Definitions } from "./project-definitions.ts";
import { requestTrace } from "./request-trace.ts";
import { systemPrompt } from "./system-prompt.ts";
import type { SectionSource } from "./system-prompt.ts";
import type { BuilderFor } from "./tool-source/prompt-tools.ts";
import { resolveTools, unavailableSection, withUnavailable } from "./tool-source/tool-source.ts";
import type { ResolvedTools, ToolSource } from "./tool-source/tool-source.ts";

/** The sources of a step's content. */
export interface StepSources {
  definitions: Definitions;
  hooks: HookRunner;
  faults: Faults;
  /** The sources of tools, in order. The source of prompts needs `builderFor` for the steps of nested loops. */
  tools: (builderFor: BuilderFor) => readonly ToolSource[];
  /** The sources of the system prompt's sections, in order. */
  sections: readonly SectionSource[];
  /** The run's messages so far, including those of nested loops. */
  own: () => readonly MessageRecord[];
  /** The thread's files. If absent, a line with a file's name is sent in its place. */
  files?: ThreadFiles;
}

/** The loop for which steps are built: its messages, its current side, and the messages before it. */
export interface Participant {
  scope: Scope;
  /** The side of the next step. Called for each step, because the side and the agent may have changed. */
  activeSide: () => Promise<{ prompt: AnyPromptDefinition; side: Side; agent: AnyAgentDefinition }>;
  /**
   * The messages before this loop, oldest first: the newest `limit` messages of the branch. For a nested loop they include this run's
   * messages before its call.
   */
  messagesBefore: (limit: number) => MessageRecord[];
}

/** The most messages of the branch that `filter_messages` receives if the prompt does not include earlier messages. */
const filteredRows = 1000;

/** Builds the steps of one loop. */
export class StepBuilder implements StepPort {
  readonly #sources: StepSources;
  readonly #participant: Participant;
  readonly #toolSources: readonly ToolSource[];
  /** The prompt of the current step; null before the first one. */
  #prompt: AnyPromptDefinition | null = null;

  constructor(sources: StepSources, participant: Participant) {
    this.#sources = sources;
    this.#participant = participant;
    this.#toolSources = sources.tools(this.#builderFor);
  }

  /** The messages of the current step's request, and those that this loop added since. */
  get loaded(): MessageRecord[] {
    return this.#prompt === null ? this.#added() : this.#included(this.#prompt);
  }

  plan(shape: StepShape, _signal?: AbortSignal, { squeeze = 0 }: PlanOptions = {}): Promise<StepPlan | StepProblem> {
    return problemOf(() => this.#plan(shape, squeeze));
  }

  tools(names: readonly string[]): Promise<StepTools | StepProblem> {
    return problemOf(async () => {
      const { prompt, side } = await this.#participant.activeSide();
      this.#prompt = prompt;
      await this.#sources.faults.at("plan.call-tools");
      const listed = await resolveTools(prompt.tools ?? [], this.#toolSources);
      // An undefined name gets an error as its result: a release removed the definition, or the thread was imported from another project.
      const failed = new Set(listed.failures.map(({ entry }) => entry));
      const unlisted = names.filter((name) => !listed.tools.has(name) && !failed.has(name));
      await this.#sources.faults.at("plan.named-tools");
      const named = await resolveTools(unlisted, this.#toolSources);
      const tools = new Map([...listed.tools, ...named.tools]);
      const failures = [...listed.failures, ...named.failures];
      return { ...toolsOf({ tools, failures }), toolMode: toolMode(prompt), ...this.#place(side) };
    });
  }

  /** Prepares tools and system prompt, then the messages. */
  async #plan(shape: StepShape, squeeze: number): Promise<StepPlan> {
    const { faults, hooks, sections } = this.#sources;
    const { prompt, side, agent } = await this.#participant.activeSide();
    this.#prompt = prompt;
    const models = await this.#models(prompt);
    const callable = models[0].capabilities?.functionCalling !== false;
    await faults.at("plan.tools");
    const resolved = await resolveTools(callable ? (prompt.tools ?? []) : [], this.#toolSources);
    const unavailable = unavailableSection(resolved.failures);
    const system = await systemPrompt(prompt, [...sections, () => Promise.resolve(unavailable)]);
    const included = this.#included(prompt);
    const viewer = { side, agent };
    const chosen =
      hooks.filtersMessages || hooks.prefiltersHistory
        ? await filteredMessages({ included, stored: this.#filterable(prompt, included) }, hooks, viewer)
        : modelMessages(viewer, included);
    const sent = await withAttachments(chosen, this.#budget(prompt, models, squeeze));
    const request = {
      system,
      messages: endedMessages(sent, shape, agent),
      tools: [...resolved.tools.values()].map((tool) => tool.spec),
      toolChoice: shape.toolChoice ?? prompt.toolChoice ?? "auto",
      parallelToolCalls: prompt.parallelToolCalls ?? false,
      reasoning: prompt.reasoning ?? null,
      temperature: prompt.temperature ?? null,
      maxTokens: prompt.maxTokens ?? null,
    };
    const candidates = included.map((message) => message.id);
    const trace = await requestTrace(prompt.name, request, candidates);
    return { models, request, ...toolsOf(resolved), toolMode: toolMode(prompt), trace, ...this.#place(side) };
  }

  #place(side: Side): Pick<StepPlan, "side" | "role" | "depth"> {
    const { depth } = this.#participant.scope;
    return { side, role: side === "b" && depth === 0 ? "user" : "assistant", depth };
  }

  async #models(prompt: AnyPromptDefinition): Promise<[AnyModelDefinition, ...AnyModelDefinition[]]> {
    const { definitions } = this.#sources;
    const first = await definitions.model(prompt.model);
    const fallbacks = await Promise.all((first.fallbacks ?? []).map((name) => definitions.model(name)));
    return [first, ...fallbacks];
  }

  /** The attachments that may be sent. If the request has to be smaller (`squeeze`), only the names of files are sent. */
  #budget(
    { recentImageThreshold: recent }: AnyPromptDefinition,
    models: readonly AnyModelDefinition[],
    squeeze: number,
  ): AttachmentView {
    return { files: squeeze > 0 ? undefined : this.#sources.files, models, recent };
  }

  /** The messages that the prompt includes: those before the loop with `includeChat`, and those of the loop. */
  #included(prompt: AnyPromptDefinition): MessageRecord[] {
    const added = this.#added();
    const limit = earlierLimit(prompt, 0);
    return [...(limit === 0 ? [] : earlierMessages(this.#participant.messagesBefore(limit), prompt, added)), ...added];
  }

  /** The messages that `filter_messages` receives. Messages that the prompt does not include are read only if the project has this hook. */
  #filterable(prompt: AnyPromptDefinition, included: readonly MessageRecord[]): readonly MessageRecord[] {
    if (!this.#sources.hooks.filtersMessages) return included;
    return [...this.#participant.messagesBefore(earlierLimit(prompt, filteredRows)), ...this.#added()];
  }

  /** The messages that the loop has added so far. */
  #added(): MessageRecord[] {
    return this.#sources.own().filter((message) => isInScope(this.#participant.scope, message));
  }

  /**
   * Makes the builder for the nested loop of one of this loop's calls. The messages before the nested loop are those before the answer with
   * that call.
   */
  readonly #builderFor = (scope: Scope, call: MessageRecord, promptName: string): StepBuilder => {
    const { definitions, own } = this.#sources;
    const { activeSide, messagesBefore, scope: caller } = this.#participant;
    return new StepBuilder(this.#sources, {
      scope,
      activeSide: async () => ({ ...(await activeSide()), prompt: await definitions.prompt(promptName) }),
      messagesBefore: (limit) => {
        const before = own().filter((message) => isInScope(caller, message) && message.position < call.position);
        const answer = before.findLastIndex(({ parts }) => hasCall(parts, call.tool_call_id));
        return [...messagesBefore(limit), ...before.slice(0, answer === -1 ? before.length : answer)];
      },
    });
  };
}

/** The participant of a run's main loop. */
export function mainParticipant(
  { definitions }: Pick<StepSources, "definitions">,
  turn: {
    agent: () => Promise<AnyAgentDefinition>;
    side: () => Side;
    /** The newest `limit` messages before the run, oldest first. */
    earlier: (limit: number) => MessageRecord[];
  },
): Participant {
  let read: { limit: number; messages: MessageRecord[] } | null = null;
  return {
    scope: mainScope,
    activeSide: async () => {
      const agent = await turn.agent();
      const side = turn.side();
      return { prompt: await definitions.prompt(sideOf(agent, side).prompt), side, agent };
    },
    messagesBefore: (limit) => {
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

/** The most messages before the loop that are read: without a limit if the prompt has `includeChat`, else `otherwise`. */
function earlierLimit({ includeChat }: AnyPromptDefinition, otherwise: number): number {
  return includeChat === true ? allMessages : otherwise;
}

const allMessages = 1_000_000;

async function problemOf<T>(work: () => Promise<T>): Promise<T | StepProblem> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof ThreadholdError)) throw thrown;
    return { problem: { code: thrown.code, message: thrown.message } };
  }
}

function hasCall(parts: MessageRecord["parts"], callId: string | null): boolean {
  return parts.some((part) => part.type === "tool_call" && part.id === callId);
}

/** Ends the messages with a user message, as models require. */
function endedMessages(
  messages: ModelMessage[],
  { instruction }: StepShape,
  agent: AnyAgentDefinition,
): ModelMessage[] {
  if (messages.length > 0 || instruction !== undefined) return endWithPrompt(messages, instruction);
  if (agent.type === "dual_ai") return [unstoredUserMessage(begin)];
  throw refuse("conflict", nothingToSend);
}

/** The message that the first of two models receives in a thread without messages (decision 9: two models in a thread). */
const begin = "Begin.";

const nothingToSend =
  "No message is left to send to the model. A prompt without includeChat sees only the messages of its own run, " +
  "and hooks may leave out more.";

/** By default, calls run in parallel if the prompt allows parallel calls (Standard Agents, prompts). */
function toolMode(prompt: AnyPromptDefinition): ToolMode {
  return prompt.toolMode ?? (prompt.parallelToolCalls === true ? "parallel" : "sequential");
}
