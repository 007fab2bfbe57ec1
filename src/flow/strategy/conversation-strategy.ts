// The strategy of a thread's run: decides which side takes the next step, when a turn ends, and when the run ends (Standard Agents, agents;
// decisions 5 to 11: ends, limits, sides and handoff). In an agent with one side a model talks to a person; in an agent with two sides two
// models talk to each other. A handoff replaces the thread's agent. The strategy's state is stored with each step, so an interrupted run
// continues with the same side and counts.

import { z } from "zod";

import { planStepSchema } from "#contract/event.ts";
import type { EventDraft } from "#contract/event.ts";
import { jsonObjectSchema, jsonSchema } from "#contract/json.ts";
import type { Json } from "#contract/json.ts";
import { sideSchema } from "#contract/thread-message.ts";
import type { Side } from "#contract/thread-message.ts";
import type {
  Decision,
  FinishedStep,
  Progress,
  RunEnd,
  StepEffects,
  StepOutcome,
  StepShape,
  Strategy,
} from "#core/ports/strategy-port.ts";
import { reasonPhase } from "#core/strategy/turn-strategy.ts";
import type { TurnDecision, TurnStrategy } from "#core/strategy/turn-strategy.ts";
import type { AnyAgentDefinition, SideConfig } from "#spec/index.ts";

import { turnBound } from "./step-bounds.ts";
import type { FormOfSide } from "./structured-answer.ts";
import { configuredEnd, isEndedByAnswer } from "./turn-end.ts";
import type { TurnEnd } from "./turn-end.ts";

const shapeSchema = z.object({
  toolChoice: z.enum(["auto", "none", "required"]).exactOptional(),
  tools: z.array(z.string()).exactOptional(),
  instruction: z.object({ text: z.string(), keep: z.boolean() }).exactOptional(),
  structure: z
    .object({ name: z.string(), schema: jsonObjectSchema, strict: z.boolean().exactOptional() })
    .nullable()
    .exactOptional(),
  phase: z.string().exactOptional(),
  silent: z.boolean().exactOptional(),
}) satisfies z.ZodType<StepShape>;

const stateSchema = z.object({
  side: sideSchema,
  turns: z.number(),
  /** The number of model steps in the current turn. */
  turn_steps: z.number(),
  handed_over: z.boolean(),
  /** The side that a definition chose for the next turn (`forceTurn`). */
  forced: sideSchema.nullable().default(null),
  /** A delayed end of the turn: it takes effect when the tool calls that definitions queued have run. Null for none. */
  pending: z.object({ reason: z.string(), outcome: jsonSchema }).nullable().default(null),
  /** The progress of the current turn's strategy. Absent between turns, and for the strategy `loop` without state and settings. */
  strategy: z
    .object({
      name: z.string(),
      state: jsonObjectSchema.nullable(),
      shape: shapeSchema,
      /** A plan that was made before the turn's first step and that no event contains yet. */
      plan: z.array(planStepSchema).exactOptional(),
    })
    .exactOptional(),
  /** The end of the run, once it is decided. */
  end: z
    .object({
      status: z.enum(["completed", "limit", "error"]),
      reason: z.string(),
      /** The outcome of the conversation; null for none. */
      outcome: jsonSchema,
      /** The error's message; null for no error. */
      message: z.string().nullable(),
    })
    .nullable(),
});

type State = z.infer<typeof stateSchema>;

export interface StrategyOptions {
  /** The thread's current agent. */
  agent: () => Promise<AnyAgentDefinition>;
  /** The side of the first step. */
  first: Side;
  /** Counts the consecutive blank answers at the end of the main loop's messages. */
  blanks: () => number;
  /** The state that the last finished step stored; null for a run without a finished step. */
  recorded: Json | null;
  /** The side that a definition chose (`forceTurn`) after the last finished step; null for none. */
  forced: Side | null;
  /** The strategy of a side's turns. */
  turnStrategy: (agent: AnyAgentDefinition, side: Side) => Promise<TurnStrategy>;
  /** Returns the form of a side's answers. */
  formOf: FormOfSide;
}

/** The strategy of one execution of a run. */
export class ConversationStrategy implements Strategy {
  readonly #options: StrategyOptions;
  readonly #state: State;
  /** The strategy's settings for the next step; null before the first decision of a turn. */
  #shape: StepShape | null;
  constructor(options: StrategyOptions) {
    this.#options = options;
    this.#state = stateSchema.safeParse(options.recorded).data ?? {
      side: options.first,
      turns: 0,
      turn_steps: 0,
      handed_over: false,
      forced: null,
      pending: null,
      end: null,
    };
    this.#state.forced = options.forced ?? this.#state.forced;
    this.#shape = this.#state.strategy?.shape ?? null;
  }

  /** The name of the current turn's strategy. */
  get name(): string {
    return this.#state.strategy?.name ?? "loop";
  }

  /** The side of the next step. */
  get side(): Side {
    return this.#state.side;
  }

  /** The number of ended turns. */
  get turns(): number {
    return this.#state.turns;
  }

  /** Whether the run handed the thread to another agent. */
  get handedOver(): boolean {
    return this.#state.handed_over;
  }

  /** The side whose turn is not over; null between turns. */
  turn(): Side | null {
    return this.#state.turn_steps > 0 ? this.#state.side : null;
  }

  /** Chooses the side of the next turn. Agents with one side ignore it (decision 9: two models in a thread). */
  forceTurn(side: Side): void {
    this.#state.forced = side;
  }

  /** A copy of the state, to be stored when a step is suspended. */
  memory(): State {
    return structuredClone(this.#state);
  }

  async interruptedShape(): Promise<StepShape> {
    // After a crash the turn's first decision may not be stored, so it is requested again. If that fails, no tool may be called, because
    // the decision may forbid the calls.
    return (await this.#beginTurn()) === null ? (this.#shape ?? {}) : { tools: [] };
  }

  async next({ hasNewInput = false, last }: Progress): Promise<Decision> {
    const { end } = this.#state;
    if (end !== null && !(hasNewInput && mayContinue(end))) {
      return { type: "end", ...runEnd(end), ...(await this.#dataOf(end, last)) };
    }
    const failed = await this.#beginTurn();
    return failed === null ? { type: "step", shape: this.#shape ?? {} } : { type: "end", ...runEnd(failedEnd(failed)) };
  }

  /** The data of the run's last answer. It follows from the stored answer, so the state does not contain it. */
  async #dataOf(end: NonNullable<State["end"]>, last: StepOutcome | null): Promise<Pick<RunEnd, "data">> {
    if (end.status !== "completed" || !isEndedByAnswer(end) || last === null) return {};
    const form = await this.#options.formOf(await this.#options.agent(), this.#state.side);
    const checked = form?.check(last);
    return checked?.ok === true ? { data: checked.data } : {};
  }

  async finishStep(step: FinishedStep): Promise<StepEffects> {
    const agent = await this.#options.agent();
    const state = this.#state;
    const events: EventDraft[] = [];
    const warnings: string[] = [];
    let failure: TurnFailure | null = null;
    if (step.fromModel) {
      // The first decision of a turn is stored at the end of its first step. A crash during that step loses it, so it is requested again.
      failure = await this.#beginTurn();
      state.turn_steps += 1;
      // If the run's end was decided before, this step answered a steering message, so the end is decided again.
      state.end = null;
    }
    const forced = agent.type === "dual_ai" ? state.forced : null;
    state.forced = null;
    const end =
      failure ?? (step.fromModel ? await this.#turnEnd(agent, step, { events, warnings }) : this.#pendingEnd(step));
    if (end?.type !== "conversation" && step.handoff !== null) {
      return this.#handOver(agent, step.handoff, events);
    }
    if (end?.type === "turn" && step.hasQueuedCalls) {
      // Calls that definitions queued run before the turn ends. If the turn ended with a plain response, the model then reads their
      // results, so that end is dropped.
      if (end.reason === "response") this.#continueTurn();
      else state.pending = { reason: end.reason, outcome: end.outcome ?? null };
    } else if (end !== null) events.push(...this.#endTurn(agent, end, forced));
    else if (forced !== null && forced !== state.side) events.push(...this.#endTurn(agent, forcedEnd, forced));
    return { events, state: structuredClone(state), warnings };
  }

  /** The delayed end of the turn, once the tool calls that definitions queued have run; null otherwise. */
  #pendingEnd({ hasQueuedCalls }: FinishedStep): TurnEnd | null {
    const { pending } = this.#state;
    if (pending === null || hasQueuedCalls) return null;
    this.#state.pending = null;
    const { reason, outcome } = pending;
    return { type: "turn", reason, ...(outcome === null ? {} : { outcome }) };
  }

  /** Requests the first decision of a turn from its strategy, unless the turn has begun. Returns the error if that is impossible. */
  async #beginTurn(): Promise<TurnFailure | null> {
    if (this.#shape !== null) return null;
    const strategy = await this.#options.turnStrategy(await this.#options.agent(), this.#state.side);
    const decision = await strategy.next(null, null);
    const { next, plan } = decision;
    if (next.type === "failed") return next;
    if (next.type === "end") {
      const message = `The strategy "${strategy.name}" ended the turn before its first step.`;
      return { type: "failed", reason: "strategy_failed", message };
    }
    this.#keep(strategy, decision, next.shape);
    if (plan !== undefined && this.#state.strategy !== undefined) this.#state.strategy.plan = plan;
    return null;
  }

  /** The end of the turn after a model's step; null if another step follows. Adds the strategy's events and warnings to the effects. */
  async #turnEnd(
    agent: AnyAgentDefinition,
    step: FinishedStep,
    { events, warnings }: { events: EventDraft[]; warnings: string[] },
  ): Promise<TurnEnd | null> {
    const side = sideOf(agent, this.#state.side);
    const { strategy: begun } = this.#state;
    events.push(...stepEvents(this.name, step, this.#shape));
    if (begun?.plan !== undefined) events.push({ type: "plan", strategy: begun.name, steps: begun.plan });
    let end = configuredEnd(side, step, this.#options.blanks);
    if (end === null) {
      const strategy = await this.#options.turnStrategy(agent, this.#state.side);
      const decision = await strategy.next(step, begun?.name === strategy.name ? begun.state : null);
      const { next, plan, warning } = decision;
      if (plan !== undefined) events.push({ type: "plan", strategy: strategy.name, steps: plan });
      if (warning !== undefined) warnings.push(warning);
      if (next.type === "step") this.#keep(strategy, decision, next.shape);
      else end = next.type === "end" ? { ...next, type: "turn" } : next;
    }
    const bound = turnBound(side);
    if (end !== null || bound === null || this.#state.turn_steps < bound) return end;
    return { type: "turn", reason: "max_steps" };
  }

  /** Keeps a strategy's decision for another step. A decision of `loop` without state and settings is not stored. */
  #keep({ name }: TurnStrategy, { state }: TurnDecision, shape: StepShape = {}): void {
    this.#shape = shape;
    if (state === undefined && Object.keys(shape).length === 0 && name === "loop") delete this.#state.strategy;
    else this.#state.strategy = { name, state: state ?? null, shape: { ...shape } as z.infer<typeof shapeSchema> };
  }

  /**
   * Continues the turn after its end was dropped. The next step is like the last one, and the strategy then decides again from the same
   * state. The step's instruction is among the stored messages already.
   */
  #continueTurn(): void {
    const { instruction: _, ...shape } = this.#shape ?? {};
    this.#shape = shape;
    const { strategy } = this.#state;
    if (strategy !== undefined) strategy.shape = shape as z.infer<typeof shapeSchema>;
  }

  #leaveTurn(): void {
    this.#shape = null;
    delete this.#state.strategy;
  }

  /** Replaces the thread's agent. The new agent's first side takes the next step (decision 11: handoff). */
  #handOver(
    from: AnyAgentDefinition,
    { agent, tool_call_id }: NonNullable<FinishedStep["handoff"]>,
    before: readonly EventDraft[],
  ): StepEffects {
    this.#leaveTurn();
    Object.assign(this.#state, { side: "a", turn_steps: 0, handed_over: true });
    const events: EventDraft[] = [...before, { type: "agent_handoff", from: from.name, to: agent, tool_call_id }];
    return { events, state: structuredClone(this.#state), agent };
  }

  /** Ends the turn, and also the run unless the other side takes the next turn. */
  #endTurn(agent: AnyAgentDefinition, end: TurnEnd, forced: Side | null): EventDraft[] {
    const state = this.#state;
    this.#leaveTurn();
    if (end.type === "failed") {
      state.end = failedEnd(end);
      return [];
    }
    const { reason } = end;
    const outcome = end.outcome === undefined ? {} : { outcome: end.outcome };
    state.turns += 1;
    state.turn_steps = 0;
    const event: EventDraft = { type: "turn_end", side: state.side, reason, ...outcome };
    const over = conversationEnd(agent, end, state.turns);
    if (over === null) state.side = forced ?? otherSide(state.side);
    else state.end = { ...over, outcome: end.outcome ?? null, message: null };
    return [event];
  }
}

/** The number of ended turns in a stored state. */
export function recordedTurns(recorded: Json | undefined): number {
  return stateSchema.safeParse(recorded).data?.turns ?? 0;
}

/** Whether a stored state shows that all steps of the run so far belong to one turn of the strategy `loop`. */
export function hasOnlyLoops(recorded: Json | undefined): boolean {
  const state = stateSchema.safeParse(recorded).data;
  return state?.strategy === undefined && state?.turns === 0 && !state.handed_over;
}

type TurnFailure = Extract<TurnEnd, { type: "failed" }>;

function failedEnd({ reason, message }: TurnFailure): NonNullable<State["end"]> {
  return { status: "error", reason, outcome: null, message };
}

/** The events of a finished step that depend on its phase. */
function stepEvents(strategy: string, { message_id, text }: FinishedStep, shape: StepShape | null): EventDraft[] {
  if (shape?.phase !== reasonPhase || text === null) return [];
  return [{ type: "reasoning", strategy, message_id, text }];
}

const forcedEnd: TurnEnd = { type: "turn", reason: "forced" };

/** The end of the run after this turn; null if the other side takes the next turn. */
function conversationEnd(
  agent: AnyAgentDefinition,
  end: Exclude<TurnEnd, { type: "failed" }>,
  turns: number,
): Pick<NonNullable<State["end"]>, "status" | "reason"> | null {
  if (end.type === "conversation") return { status: "completed", reason: end.reason };
  if (agent.type !== "dual_ai") {
    return { status: end.reason === "max_steps" ? "limit" : "completed", reason: end.reason };
  }
  const { maxSessionTurns } = agent;
  return maxSessionTurns !== undefined && turns >= maxSessionTurns
    ? { status: "limit", reason: "max_session_turns" }
    : null;
}

/**
 * Whether a user message that arrived after the end was decided lets the run continue: only if the run was completed and `endSessionTool`
 * did not end it.
 */
function mayContinue({ status, reason }: NonNullable<State["end"]>): boolean {
  return status === "completed" && reason !== "end_session_tool";
}

function runEnd({ status, reason, outcome, message }: NonNullable<State["end"]>): RunEnd {
  return { status, reason, outcome, ...(message === null ? {} : { error: { code: reason, message } }) };
}

/** The configuration of a side. The build refuses an agent with two sides that lacks `sideB`. */
export function sideOf(agent: AnyAgentDefinition, side: Side): SideConfig {
  return side === "b" ? (agent.sideB ?? agent.sideA) : agent.sideA;
}

export function otherSide(side: Side): Side {
  return side === "a" ? "b" : "a";
}
