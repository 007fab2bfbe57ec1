// Prepares a step: side, prompt, models, tools, system prompt, and messages. Messages pass four stages: history and filter hooks
// (`select-messages.ts`), budget of tokens and attachments (`build-request.ts`).

import type { ThreadContext } from "#contract/context-route.ts";
import { ThreadholdError } from "#contract/error.ts";
import type { Side } from "#contract/thread-message.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { Faults } from "#core/ports/faults.ts";
import type { SkillChoice } from "#core/ports/skills-port.ts";
import type { PlanOptions, StepPlan, StepPort, StepProblem, StepTools, ToolMode } from "#core/ports/step-port.ts";
import type { StepShape } from "#core/ports/strategy-port.ts";
import type { ThreadFiles } from "#core/ports/thread-file-port.ts";
import type { MessageRecord, StoredProjection } from "#core/record/record.ts";
import type { Scope } from "#core/record/scope.ts";
import { offeredTools, unknownToolsWarning } from "#core/strategy/offered-tools.ts";
import { orderedByModel } from "#core/tools/model-order.ts";
import type { AnyModelDefinition, AnyPromptDefinition } from "#spec/index.ts";
import { readSkillName } from "#spec/project-skill.ts";

import type { Definitions } from "../setup/project-definitions.ts";
import type { Participant } from "../strategy/participant.ts";
import { formOfPrompt } from "../strategy/structured-answer.ts";
import type { BuilderFor } from "../tool-source/prompt-tools.ts";
import { resolveTools, unavailableSection, withUnavailable } from "../tool-source/tool-source.ts";
import type { ResolvedTools, ToolSource } from "../tool-source/tool-source.ts";
import { buildRequest, contextOf } from "./build-request.ts";
import { describeContext } from "./describe-context.ts";
import { lastMeasured } from "./measured-request.ts";
import type { RequestParts } from "./request-context.ts";
import { MessageSelection } from "./select-messages.ts";
import type { MessageSources } from "./select-messages.ts";
import { systemPrompt } from "./system-prompt.ts";
import type { SectionSource } from "./system-prompt.ts";

/** The sources of a step's content. */
export interface StepSources extends MessageSources {
  definitions: Definitions;
  faults: Faults;
  /**
   * The sources of tools, in order. The source of prompts uses `builderFor` for the steps of nested loops. The source of skills uses
   * `skills`, which returns the choice of the current step's prompt.
   */
  tools: (builderFor: BuilderFor, skills: () => SkillChoice | undefined) => readonly ToolSource[];
  /** The sources of the system prompt's sections, in order. */
  sections: readonly SectionSource[];
  /** The thread's files. If absent, a request contains a line with the name of each file and not the file. */
  files?: ThreadFiles;
  clock: Clock;
}

/** Builds the steps of one loop. */
export class StepBuilder implements StepPort {
  readonly #sources: StepSources;
  readonly #participant: Participant;
  readonly #selection: MessageSelection;
  readonly #toolSources: readonly ToolSource[];
  /** The projection before the current step. */
  #last: StoredProjection | undefined;

  constructor(sources: StepSources, participant: Participant) {
    this.#sources = sources;
    this.#participant = participant;
    this.#selection = new MessageSelection(sources, participant);
    this.#toolSources = sources.tools(this.#builderFor, () => this.#selection.prompt?.skills);
  }

  /** The messages that the current step's prompt includes, and those that this loop added since. */
  get loaded(): MessageRecord[] {
    return this.#selection.loaded;
  }

  plan(shape: StepShape, signal?: AbortSignal, options: PlanOptions = {}): Promise<StepPlan | StepProblem> {
    return problemOf(() => this.#plan(shape, { ...options, signal }));
  }

  tools(names: readonly string[]): Promise<StepTools | StepProblem> {
    return problemOf(async () => {
      const active = await this.#participant.activeSide();
      const { prompt, side } = active;
      this.#selection.begin(active, this.#selection.projectionOf(prompt, side));
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
    const { faults, sections } = this.#sources;
    const selection = this.#selection;
    const active = await this.#participant.activeSide();
    const { prompt, side } = active;
    // With a summary, the step is planned again from the projection before its compaction.
    if (summary === undefined) this.#last = selection.projectionOf(prompt, side);
    const last = this.#last;
    const range = selection.begin(active, last);
    const models = await this.#models(prompt);
    const callable = models[0].capabilities?.functionCalling !== false;
    await faults.at("plan.tools");
    const resolved = inOrder(prompt, await resolveTools(callable ? toolEntries(prompt) : [], this.#toolSources));
    const unavailable = unavailableSection(resolved.failures);
    const system = await systemPrompt(prompt, [...sections, () => Promise.resolve(unavailable)]);
    const { messages, included, answered } = await selection.select(active, range);
    const offered = offeredTools(resolved.tools, shape, prompt.toolChoice);
    const parts: RequestParts = {
      prompt,
      model: models[0],
      system,
      tools: offered.specs,
      messages,
      stored: last ?? null,
      measured: lastMeasured(answered, models, side),
      refused: squeeze > 0,
      estimates: selection.estimates,
      summary,
    };
    return { parts, active, models, resolved, offered, included };
  }

  async #plan(
    shape: StepShape,
    options: PlanOptions & { signal: AbortSignal | undefined },
  ): Promise<StepPlan | StepProblem> {
    const { faults, projections, definitions, clock, files } = this.#sources;
    const { parts, active, models, resolved, offered, included } = await this.#prepare(shape, options);
    const { prompt, side, agent, form } = active;
    const summarized = await contextOf(parts, { definitions, clock, faults, signal: options.signal });
    if ("problem" in summarized) return summarized;
    const { context, summary, warning } = summarized;
    const { stored, compaction } = context;
    const of = this.#selection.conversation(prompt, side);
    // While a summary is awaited, nothing is stored: a run that is stopped meanwhile leaves the summary to the next run.
    const isFinal = summary === undefined && options.signal?.aborted !== true;
    if (compaction !== null && stored !== null && isFinal) projections.set(of, stored);
    const built = await buildRequest({
      parts,
      context,
      // If the request has to be smaller (`squeeze`), only the names of files are sent.
      attachments: { files: parts.refused ? undefined : files, models, recent: prompt.recentImageThreshold },
      included,
      tools: { tools: offered.specs, toolChoice: offered.toolChoice },
      structure: shape.structure === undefined ? form?.structure : shape.structure,
      shape,
      agent,
    });
    const listed = toolsOf({ ...resolved, tools: offered.tools });
    const unknown = unknownToolsWarning(shape, toolEntries(prompt));
    const warnings = [...(listed.warnings ?? []), ...unknown, ...(warning === undefined ? [] : [warning])];
    return {
      models,
      ...built,
      ...listed,
      toolMode: toolMode(prompt),
      ...this.#place(side),
      ...(compaction === null || stored === null ? {} : { compaction, projection: { of, is: stored } }),
      ...(summary === undefined ? {} : { summary }),
      ...(warnings.length === 0 ? {} : { warnings }),
    };
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

  /** Makes the builder for the nested loop of one of this loop's calls. */
  readonly #builderFor = (scope: Scope, call: MessageRecord, promptName: string): StepBuilder => {
    const { definitions } = this.#sources;
    const { activeSide } = this.#participant;
    return new StepBuilder(this.#sources, {
      scope,
      activeSide: async () => {
        const prompt = await definitions.prompt(promptName);
        return { ...(await activeSide()), prompt, form: formOfPrompt(prompt) };
      },
      ...this.#selection.beforeCall(call),
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

async function problemOf<T>(work: () => Promise<T>): Promise<T | StepProblem> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof ThreadholdError)) throw thrown;
    return { problem: { code: thrown.code, message: thrown.message } };
  }
}

/** By default, calls run in parallel if the prompt allows parallel calls (Standard Agents, prompts). */
function toolMode(prompt: AnyPromptDefinition): ToolMode {
  return prompt.toolMode ?? (prompt.parallelToolCalls === true ? "parallel" : "sequential");
}
