// The strategy of a thread's run: decides which side takes the next step, when a turn ends, and when the run ends (Standard Agents, agents;
// decisions 5 to 11: ends, limits, sides and handoff). In an agent with one side a model talks to a person; in an agent with two sides two
// models talk to each other. A handoff replaces the thread's agent. The strategy's state is stored with each step, so an interrupted run
// continues with the same side and counts.

import { z } from "zod";

import type { EventDraft } from "#contract/event.ts";
import { jsonSchema } from "#contract/json.ts";
import type { Json } from "#contract/json.ts";
import { sideSchema } from "#contract/thread-message.ts";
import type { Side } from "#contract/thread-message.ts";
import type { Decision, FinishedStep, Progress, RunEnd, StepEffects, Strategy } from "#core/ports/strategy-port.ts";
import type { AnyAgentDefinition, SideConfig } from "#spec/index.ts";

import { turnBound } from "./step-bounds.ts";
import { turnEnd } from "./turn-end.ts";
import type { TurnEnd } from "./turn-end.ts";

const stateSchema = z.object({
  side: sideSchema,
  turns: z.number(),
  /** The number of model steps in the current turn. */
  turn_steps: z.number(),
  handed_over: z.boolean(),
  /** The side that a definition chose for the next turn (`forceTurn`). */
  forced: sideSchema.nullable().default(null),
  /** The end of the turn, which is delayed until the tool calls that definitions queued have run; null for none. */
  pending: z.object({ reason: z.string(), outcome: jsonSchema }).nullable().default(null),
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

/** The options of a strategy. */
export interface StrategyOptions {
  /** The thread's current agent. */
  agent: () => Promise<AnyAgentDefinition>;
  /** The side of the first step. */
  first: Side;
  /** Counts the blank answers at the end of the main loop. If null, a blank answer ends a turn like any other answer. */
  blanks: (() => number) | null;
  /** The state that the last finished step stored; null for a run without a finished step. */
  recorded: Json | null;
  /** The side that a definition chose for the turn after that step. */
  forced: Side | null;
}

/** The strategy of one execution of a run. */
export class ConversationStrategy implements Strategy {
  readonly name = "loop";
  readonly #options: StrategyOptions;
  readonly #state: State;
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

  next({ hasNewInput = false }: Progress): Decision {
    const { end } = this.#state;
    return end === null || (hasNewInput && mayContinue(end)) ? { type: "step" } : { type: "end", ...runEnd(end) };
  }

  async finishStep(step: FinishedStep): Promise<StepEffects> {
    const agent = await this.#options.agent();
    const state = this.#state;
    if (step.fromModel) {
      state.turn_steps += 1;
      // If the run's end was decided before, this step answered a steering message, so the end is decided again.
      state.end = null;
    }
    const forced = agent.type === "dual_ai" ? state.forced : null;
    state.forced = null;
    const end = step.fromModel ? this.#turnEnd(agent, step) : this.#pendingEnd(step);
    if (end?.type !== "conversation" && step.handoff !== null) return this.#handOver(agent, step.handoff);
    const events: EventDraft[] = [];
    if (end?.type === "turn" && step.hasQueuedCalls) {
      // Calls that definitions queued run before the turn ends. If the turn ended with a plain response, the model then reads their
      // results, so that end is dropped.
      if (end.reason !== "response") state.pending = { reason: end.reason, outcome: end.outcome ?? null };
    } else if (end !== null) events.push(...this.#endTurn(agent, end, forced));
    else if (forced !== null && forced !== state.side) events.push(...this.#endTurn(agent, forcedEnd, forced));
    return { events, state: structuredClone(state) };
  }

  /** The delayed end of the turn, once the tool calls that definitions queued have run; null otherwise. */
  #pendingEnd({ hasQueuedCalls }: FinishedStep): TurnEnd | null {
    const { pending } = this.#state;
    if (pending === null || hasQueuedCalls) return null;
    this.#state.pending = null;
    const { reason, outcome } = pending;
    return { type: "turn", reason, ...(outcome === null ? {} : { outcome }) };
  }

  #turnEnd(agent: AnyAgentDefinition, step: FinishedStep): TurnEnd | null {
    const side = sideOf(agent, this.#state.side);
    const end = turnEnd(side, step, this.#options.blanks);
    const bound = turnBound(side);
    if (end !== null || bound === null || this.#state.turn_steps < bound) return end;
    return { type: "turn", reason: "max_steps" };
  }

  /** Replaces the thread's agent. The new agent's first side takes the next step (decision 11: handoff). */
  #handOver(from: AnyAgentDefinition, { agent, tool_call_id }: NonNullable<FinishedStep["handoff"]>): StepEffects {
    Object.assign(this.#state, { side: "a", turn_steps: 0, handed_over: true });
    const events: EventDraft[] = [{ type: "agent_handoff", from: from.name, to: agent, tool_call_id }];
    return { events, state: structuredClone(this.#state), agent };
  }

  /** Ends the turn, and also the run unless the other side takes the next turn. */
  #endTurn(agent: AnyAgentDefinition, end: TurnEnd, forced: Side | null): EventDraft[] {
    const state = this.#state;
    if (end.type === "failed") {
      const { reason, message } = end;
      state.end = { status: "error", reason, outcome: null, message };
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
 * Whether the run may continue after its end was decided, because a user message arrived: only if it was complete and `endSessionTool` did
 * not end it.
 */
function mayContinue({ status, reason }: NonNullable<State["end"]>): boolean {
  return status === "completed" && reason !== "end_session_tool";
}

function runEnd({ status, reason, outcome, message }: NonNullable<State["end"]>): RunEnd {
  return { status, reason, outcome, ...(message === null ? {} : { error: { code: reason, message } }) };
}

/** The configuration of a side. The build refuses an agent of two sides that lacks one. */
export function sideOf(agent: AnyAgentDefinition, side: Side): SideConfig {
  return side === "b" ? (agent.sideB ?? agent.sideA) : agent.sideA;
}

/** The opposite side. */
export function otherSide(side: Side): Side {
  return side === "a" ? "b" : "a";
}
