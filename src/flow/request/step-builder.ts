// Prepares a step: side, prompt, models, tools, system prompt, and messages. Messages pass four stages: history, filter hooks, budget of
// tokens (`request-context.ts`), attachments.

import type { ThreadContext } from "#contract/context-route.ts";
import { refuse, ThreadholdError } from "#contract/error.ts";
import type { Side } from "#contract/thread-message.ts";
import { TokenEstimates } from "#core/context/compact.ts";
import { PositionedMessages } from "#core/context/stored-projection.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { Faults } from "#core/ports/faults.ts";
import type { ModelMessage } from "#core/ports/model-port.ts";
import type { SkillChoice } from "#core/ports/skills-port.ts";
import type { PlanOptions, StepPlan, StepPort, StepProblem, StepTools, ToolMode } from "#core/ports/step-port.ts";
import type { StepShape } from "#core/ports/strategy-port.ts";
import type { ThreadFiles } from "#core/ports/thread-file-port.ts";
import type { MessageRecord, StoredProjection } from "#core/record/record.ts";
import { isInScope } from "#core/record/scope.ts";
import type { Scope } from "#core/record/scope.ts";
import { withAttachments } from "#core/request/request-attachments.ts";
import type { AttachmentView } from "#core/request/request-attachments.ts";
import { endWithPrompt, unstoredInstruction, unstoredUserMessage } from "#core/request/request-messages.ts";
import { offeredTools, unknownToolsWarning } from "#core/strategy/offered-tools.ts";
import { orderedByModel } from "#core/tools/model-order.ts";
import type { AnyAgentDefinition, AnyModelDefinition, AnyPromptDefinition } from "#spec/index.ts";
import { readSkillName } from "#spec/project-skill.ts";

import type { HookRunner } from "../hook/hook-runner.ts";
import type { Definitions } from "../setup/project-definitions.ts";
import { rangeOf } from "../strategy/participant.ts";
import type { Participant, ReadRange } from "../strategy/participant.ts";
import { formOfPrompt } from "../strategy/structured-answer.ts";
import type { BuilderFor } from "../tool-source/prompt-tools.ts";
import { resolveTools, unavailableSection, withUnavailable } from "../tool-source/tool-source.ts";
import type { ResolvedTools, ToolSource } from "../tool-source/tool-source.ts";
import { describeContext } from "./describe-context.ts";
import { filteredMessages } from "./filter-hooks.ts";
import { earlierMessages, LoopMessages } from "./history.ts";
import { lastMeasured } from "./measured-request.ts";
import { requestContext } from "./request-context.ts";
import type { RequestParts } from "./request-context.ts";
import { requestTrace } from "./request-trace.ts";
import { summarizedRequest } from "./summary-request.ts";
import type { SummarizedRequest } from "./summary-request.ts";
import { systemPrompt } from "./system-prompt.ts";
import type { SectionSource } from "./system-prompt.ts";

/** The sources of a step's content. */
export interface StepSources {
  definitions: Definitions;
  hooks: HookRunner;
  faults: Faults;
  /**
   * The sources of tools, in order. The source of prompts uses `builderFor` for the steps of nested loops. The source of skills uses
   * `skills`, which returns the choice of the current step's prompt.
   */
  tools: (builderFor: BuilderFor, skills: () => SkillChoice | undefined) => readonly ToolSource[];
  /** The sources of the system prompt's sections, in order. */
  sections: readonly SectionSource[];
  /** The run's messages so far, including those of nested loops. */
  own: () => readonly MessageRecord[];
  /** The thread's files. If absent, a request contains a line with the name of each file and not the file. */
  files?: ThreadFiles;
  clock: Clock;
  /** The stored projections: which messages of the conversation the last requests contained. */
  projections: Projections;
}

/** Stores the projections of conversations. `of` is the name of a conversation, as in `ScopedProjection`. */
export interface Projections {
  get(of: string): StoredProjection | undefined;
  set(of: string, is: StoredProjection): void;
}

/** The maximum number of messages before the loop that `filter_messages` receives if the prompt does not include them. */
const filteredRows = 1000;

/** Builds the steps of one loop. */
export class StepBuilder implements StepPort {
  readonly #sources: StepSources;
  readonly #participant: Participant;
  readonly #toolSources: readonly ToolSource[];
  /** The messages of the last step's request and their tokens, so that the next step converts and counts only new messages. */
  readonly #messages = new LoopMessages();
  readonly #estimates = new TokenEstimates();
  /** The messages of the last step's request with the projection that was applied to them. */
  #positioned: PositionedMessages | undefined;
  /** The projection before the current step. */
  #last: StoredProjection | undefined;
  /** The prompt of the current step, and the range of the messages before it; null before the first step. */
  #current: { prompt: AnyPromptDefinition; side: Side; range: ReadRange | undefined } | null = null;

  constructor(sources: StepSources, participant: Participant) {
    this.#sources = sources;
    this.#participant = participant;
    this.#toolSources = sources.tools(this.#builderFor, () => this.#current?.prompt.skills);
  }

  /** The messages that the current step's prompt includes, and those that this loop added since. */
  get loaded(): MessageRecord[] {
    return this.#current === null ? this.#added() : this.#included(this.#current.prompt, this.#current.range);
  }

  plan(shape: StepShape, signal?: AbortSignal, options: PlanOptions = {}): Promise<StepPlan | StepProblem> {
    return problemOf(() => this.#plan(shape, { ...options, signal }));
  }

  tools(names: readonly string[]): Promise<StepTools | StepProblem> {
    return problemOf(async () => {
      const { prompt, side, agent } = await this.#participant.activeSide();
      this.#current = { prompt, side, range: rangeOf(this.#projectionOf(prompt, side), agent) };
      await this.#sources.faults.at("plan.call-tools");
      const listed = inOrder(prompt, await resolveTools(toolEntries(prompt), this.#toolSources));
      // A call of an unknown name gets an error as its result: a release removed the definition, or the thread was imported from another
      // project.
      const failed = new Set(listed.failures.map(({ entry }) => entry));
      const unlisted = names.filter((name) => !listed.tools.has(name) && !failed.has(name));
      await this.#sources.faults.at("plan.named-tools");
      const named = await resolveTools(unlisted, this.#toolSources);
      const tools = new Map([...listed.tools, ...named.tools]);
      const failures = [...listed.failures, ...named.failures];
      return { ...toolsOf({ tools, failures }), toolMode: toolMode(prompt), ...this.#place(side) };
    });
  }

  /** Describes the next request as it would be planned now. Nothing is stored. */
  describe(): Promise<ThreadContext | StepProblem> {
    return problemOf(async () => describeContext((await this.#prepare({}, {})).parts));
  }

  /** Prepares side, tools and system prompt, then the messages. */
  async #prepare(shape: StepShape, { squeeze = 0, summary }: PlanOptions) {
    const { faults, hooks, sections } = this.#sources;
    const { prompt, side, agent, form } = await this.#participant.activeSide();
    const of = this.#conversation(prompt, side);
    // With a summary, the step is planned again from the projection before its compaction.
    if (summary === undefined) this.#last = this.#projectionOf(prompt, side);
    const last = this.#last;
    const range = rangeOf(last, agent);
    this.#current = { prompt, side, range };
    const models = await this.#models(prompt);
    const callable = models[0].capabilities?.functionCalling !== false;
    await faults.at("plan.tools");
    const resolved = inOrder(prompt, await resolveTools(callable ? toolEntries(prompt) : [], this.#toolSources));
    const unavailable = unavailableSection(resolved.failures);
    const system = await systemPrompt(prompt, [...sections, () => Promise.resolve(unavailable)]);
    const before = this.#before(prompt, range);
    const included = this.#included(prompt, range);
    const added = this.#added();
    // The answers before a nested loop belong to another prompt, so the tokens of their requests are not comparable.
    const isNested = this.#participant.scope.depth > 0;
    const answered = isNested ? { stored: added, included: added } : { stored: [...before, ...added], included };
    const viewer = { side, agent };
    const chosen = hooks.changesHistory
      ? await filteredMessages({ included, stored: this.#filterable(prompt, included, range) }, hooks, viewer)
      : this.#messages.of(viewer, included);
    const offered = offeredTools(resolved.tools, shape, prompt.toolChoice);
    this.#positioned = new PositionedMessages(chosen, included, this.#positioned?.last);
    const parts: RequestParts = {
      prompt,
      model: models[0],
      system,
      tools: offered.specs,
      messages: this.#positioned,
      stored: last ?? null,
      measured: lastMeasured(answered, models, side),
      refused: squeeze > 0,
      estimates: this.#estimates,
      summary,
    };
    return { parts, of, side, agent, form, models, resolved, offered, included };
  }

  async #plan(
    shape: StepShape,
    options: PlanOptions & { signal: AbortSignal | undefined },
  ): Promise<StepPlan | StepProblem> {
    const { faults, projections } = this.#sources;
    const prepared = await this.#prepare(shape, options);
    const { parts, of, side, agent, form, models, resolved, offered, included } = prepared;
    const { prompt, system } = parts;
    const planned = requestContext(parts);
    if ("problem" in planned) return planned;
    let summarized: SummarizedRequest = { context: planned };
    if (planned.dropped !== undefined) {
      await faults.at("plan.summary");
      const { definitions, clock } = this.#sources;
      const sources = { definitions, clock, faults, signal: options.signal };
      summarized = await summarizedRequest(planned, { parts, dropped: planned.dropped }, sources);
    }
    const { context } = summarized;
    const { stored, compaction, filesFrom } = context;
    // While a summary is awaited, nothing is stored: a run that is stopped meanwhile leaves the summary to the next run.
    const isFinal = summarized.summary === undefined && options.signal?.aborted !== true;
    if (compaction !== null && stored !== null && isFinal) projections.set(of, stored);
    const view = { ...this.#budget(prompt, models, options.squeeze ?? 0), from: filesFrom };
    const sent = await withAttachments(context.messages, view);
    const structure = shape.structure === undefined ? form?.structure : shape.structure;
    const request = {
      prompt: prompt.name,
      system,
      messages: endedMessages(sent, shape, agent),
      tools: offered.specs,
      toolChoice: offered.toolChoice,
      parallelToolCalls: prompt.parallelToolCalls ?? false,
      reasoning: prompt.reasoning ?? null,
      temperature: prompt.temperature ?? null,
      maxTokens: prompt.maxTokens ?? null,
      ...(structure == null ? {} : { structure }),
    };
    const candidates = idsFrom(included, stored?.dropped ?? "");
    const trace = await requestTrace(request, candidates, stored);
    const listed = toolsOf({ ...resolved, tools: offered.tools });
    const { warning } = summarized;
    const unknown = unknownToolsWarning(shape, toolEntries(prompt));
    const warnings = [...(listed.warnings ?? []), ...unknown, ...(warning === undefined ? [] : [warning])];
    return {
      models,
      request,
      ...listed,
      toolMode: toolMode(prompt),
      trace,
      ...this.#place(side),
      ...(compaction === null || stored === null ? {} : { compaction, projection: { of, is: stored } }),
      ...(summarized.summary === undefined ? {} : { summary: summarized.summary }),
      ...(warnings.length === 0 ? {} : { warnings }),
    };
  }

  /** The name under which the projection of the step's conversation is stored. */
  #conversation({ name }: AnyPromptDefinition, side: Side): string {
    return this.#participant.scope.parent_id ?? `${side}/${name}`;
  }

  /**
   * The projection of the conversation's last request. A prompt that includes no earlier messages does not use the projection of an earlier
   * run, because its marker and summary replace that run's messages.
   */
  #projectionOf(prompt: AnyPromptDefinition, side: Side): StoredProjection | undefined {
    const stored = this.#sources.projections.get(this.#conversation(prompt, side)) ?? this.#projectionBefore(prompt);
    if (stored === undefined || stored.count === 0 || prompt.includeChat === true) return stored;
    const [first] = this.#added();
    return first !== undefined && stored.dropped > first.position ? stored : undefined;
  }

  /** The caller's projection, for a nested loop that includes the caller's messages and compacts its requests. */
  #projectionBefore({ includeChat, context }: AnyPromptDefinition): StoredProjection | undefined {
    return includeChat === true && context?.strategy !== "off" ? this.#participant.projectionBefore?.() : undefined;
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
  #included(prompt: AnyPromptDefinition, range: ReadRange | undefined): MessageRecord[] {
    const added = this.#added();
    return [...earlierMessages(this.#before(prompt, range), prompt, added), ...added];
  }

  /** The messages before the loop, if the prompt includes any. */
  #before(prompt: AnyPromptDefinition, range: ReadRange | undefined): MessageRecord[] {
    const limit = earlierLimit(prompt, 0);
    return limit === 0 ? [] : this.#participant.messagesBefore(limit, range);
  }

  /** The messages that `filter_messages` receives. Messages that the prompt does not include are read only if the project has this hook. */
  #filterable(
    prompt: AnyPromptDefinition,
    included: readonly MessageRecord[],
    range: ReadRange | undefined,
  ): readonly MessageRecord[] {
    if (!this.#sources.hooks.filtersMessages) return included;
    return [...this.#participant.messagesBefore(earlierLimit(prompt, filteredRows), range), ...this.#added()];
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
      activeSide: async () => {
        const prompt = await definitions.prompt(promptName);
        return { ...(await activeSide()), prompt, form: formOfPrompt(prompt) };
      },
      projectionBefore: () => {
        const current = this.#current;
        return current?.prompt.includeChat === true ? this.#projectionOf(current.prompt, current.side) : undefined;
      },
      messagesBefore: (limit, range) => {
        const before = own().filter((message) => isInScope(caller, message) && message.position < call.position);
        const answer = before.findLastIndex(({ parts }) => hasCall(parts, call.tool_call_id));
        return [...messagesBefore(limit, range), ...before.slice(0, answer === -1 ? before.length : answer)];
      },
    });
  };
}

/** The tools. If the prompt has `modelOrder`, the model may order their calls. */
function inOrder({ modelOrder }: AnyPromptDefinition, resolved: ResolvedTools): ResolvedTools {
  return modelOrder === true ? { ...resolved, tools: orderedByModel(resolved.tools) } : resolved;
}

/** The entries of a prompt's list of tools. A prompt with skills has the tool that returns their files. */
function toolEntries({ tools = [], skills }: AnyPromptDefinition): NonNullable<AnyPromptDefinition["tools"]> {
  return skills === undefined ? tools : [...tools, readSkillName];
}

/** The tools of a plan, and warnings about those whose source failed. */
function toolsOf(resolved: ResolvedTools): Pick<StepPlan, "tools" | "warnings"> {
  const tools = withUnavailable(resolved);
  if (resolved.failures.length === 0) return { tools };
  return { tools, warnings: resolved.failures.map(({ warning }) => warning) };
}

/** The maximum number of messages before the loop that are read: without a limit if the prompt has `includeChat`, else `otherwise`. */
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

/** The ids of the messages from a position on. */
function idsFrom(messages: readonly MessageRecord[], from: string): string[] {
  const ids: string[] = [];
  for (const { id, position } of messages) if (position >= from) ids.push(id);
  return ids;
}

/**
 * Adds the step's instruction, if it is not stored. Without one, adds a request to continue if the last message is an assistant's. If there
 * are neither messages nor an instruction, returns `begin` for an agent with two sides, and throws `conflict` for another agent.
 */
function endedMessages(messages: ModelMessage[], shape: StepShape, agent: AnyAgentDefinition): ModelMessage[] {
  const instruction = unstoredInstruction(shape);
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
