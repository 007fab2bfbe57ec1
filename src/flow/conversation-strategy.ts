// The strategy of a thread's run: whose turn it is, when a turn ends, when the run does (Standard Agents, agents; decisions
// 5 to 11). One side speaks with a person, two with each other; a handoff puts another agent in the place of the first. What
// it remembers is recorded with each step, so that a cut run goes on with the same side and the same counts.

import { z } from "zod";

import type { EventDraft } from "#contract/event.ts";
import { jsonSchema } from "#contract/json.ts";
import type { Json } from "#contract/json.ts";
import { sideSchema } from "#contract/message.ts";
import type { Side } from "#contract/message.ts";
import type { Decision, FinishedStep, Progress, RunEnd, StepEffects, Strategy } from "#core/ports/strategy.ts";
import type { AnyAgentDefinition, SideConfig } from "#spec/index.ts";

import { turnBound } from "./step-bounds.ts";
import { turnEnd } from "./turn-end.ts";
import type { TurnEnd } from "./turn-end.ts";

const stateSchema = z.object({
  side: sideSchema,
  turns: z.number(),
  /** Model steps of the turn so far. */
  turn_steps: z.number(),
  handed_over: z.boolean(),
  /** The side a definition gave the next turn to. */
  forced: sideSchema.nullable().default(null),
  /** How the turn ends when the calls that definitions queued are made. */
  pending: z.object({ reason: z.string(), outcome: jsonSchema }).nullable().default(null),
  /** How the run ends, once that is decided. */
  end: z
    .object({
      status: z.enum(["completed", "limit", "error"]),
      reason: z.string(),
      /** Null for none. */
      outcome: jsonSchema,
      /** What went wrong; null where nothing did. */
      message: z.string().nullable(),
    })
    .nullable(),
});

type State = z.infer<typeof stateSchema>;

/** What the strategy is made of. */
export interface StrategyParts {
  /** The thread's agent as it is now. */
  agent: () => Promise<AnyAgentDefinition>;
  /** The side that speaks first. */
  first: Side;
  /** Counts the blank answers at the end of the run's line; null where a blank answer ends a turn like any other. */
  blanks: (() => number) | null;
  /** What the last finished step recorded; null for a run that has none. */
  recorded: Json | null;
  /** A turn given away since then. */
  forced: Side | null;
}

/** One per drive of a run. */
export class ConversationStrategy implements Strategy {
  readonly name = "loop";
  readonly #parts: StrategyParts;
  readonly #state: State;
  constructor(parts: StrategyParts) {
    this.#parts = parts;
    this.#state = stateSchema.safeParse(parts.recorded).data ?? {
      side: parts.first,
      turns: 0,
      turn_steps: 0,
      handed_over: false,
      forced: null,
      pending: null,
      end: null,
    };
    this.#state.forced = parts.forced ?? this.#state.forced;
  }

  /** The side that speaks now. */
  get side(): Side {
    return this.#state.side;
  }

  /** Turns that ended. */
  get turns(): number {
    return this.#state.turns;
  }

  /** A handoff gave the thread to another agent in the course of the run. */
  get handedOver(): boolean {
    return this.#state.handed_over;
  }

  /** The side whose turn has begun and is not over. */
  turn(): Side | null {
    return this.#state.turn_steps > 0 ? this.#state.side : null;
  }

  /** The side that speaks next, whatever else would follow; only two-sided agents take turns (decision 9). */
  force(side: Side): void {
    this.#state.forced = side;
  }

  /** What a step that rests records, so that a crash while it rests forgets nothing. */
  memory(): State {
    return structuredClone(this.#state);
  }

  next({ hasNewInput = false }: Progress): Decision {
    const { end } = this.#state;
    return end === null || (hasNewInput && mayGoOn(end)) ? { type: "step" } : { type: "end", ...runEnd(end) };
  }

  async finishStep(step: FinishedStep): Promise<StepEffects> {
    const agent = await this.#parts.agent();
    const state = this.#state;
    if (step.fromModel) {
      state.turn_steps += 1;
      // A model that is asked behind an end has somebody to answer.
      state.end = null;
    }
    const forced = agent.type === "dual_ai" ? state.forced : null;
    state.forced = null;
    const end = step.fromModel ? this.#turnEnd(agent, step) : this.#pendingEnd(step);
    if (end?.type !== "conversation" && step.handoff !== null) return this.#handOver(agent, step.handoff);
    const events: EventDraft[] = [];
    if (end?.type === "turn" && step.hasQueuedCalls) {
      // Queued calls come first. After mere words their results are for the model to read; any other end waits for them.
      if (end.reason !== "response") state.pending = { reason: end.reason, outcome: end.outcome ?? null };
    } else if (end !== null) events.push(...this.#endTurn(agent, end, forced));
    else if (forced !== null && forced !== state.side) events.push(...this.#endTurn(agent, forcedEnd, forced));
    return { events, state: structuredClone(state) };
  }

  /** The end that waited for queued calls, once they are made. */
  #pendingEnd({ hasQueuedCalls }: FinishedStep): TurnEnd | null {
    const { pending } = this.#state;
    if (pending === null || hasQueuedCalls) return null;
    this.#state.pending = null;
    const { reason, outcome } = pending;
    return { type: "turn", reason, ...(outcome === null ? {} : { outcome }) };
  }

  #turnEnd(agent: AnyAgentDefinition, step: FinishedStep): TurnEnd | null {
    const side = sideOf(agent, this.#state.side);
    const end = turnEnd(side, step, this.#parts.blanks);
    const bound = turnBound(side);
    if (end !== null || bound === null || this.#state.turn_steps < bound) return end;
    return { type: "turn", reason: "max_steps" };
  }

  /** The thread's agent becomes another, whose first side speaks next (decision 11). */
  #handOver(from: AnyAgentDefinition, { agent, tool_call_id }: NonNullable<FinishedStep["handoff"]>): StepEffects {
    Object.assign(this.#state, { side: "a", turn_steps: 0, handed_over: true });
    const events: EventDraft[] = [{ type: "agent_handoff", from: from.name, to: agent, tool_call_id }];
    return { events, state: structuredClone(this.#state), agent };
  }

  /** Ends the turn; the run with it, unless the other side answers. */
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
    const told: EventDraft = { type: "turn_end", side: state.side, reason, ...outcome };
    const over = conversationOver(agent, end, state.turns);
    if (over === null) state.side = forced ?? other(state.side);
    else state.end = { ...over, outcome: end.outcome ?? null, message: null };
    return [told];
  }
}

/** Turns that had ended when a step recorded this memory. */
export function turnsIn(recorded: Json | undefined): number {
  return stateSchema.safeParse(recorded).data?.turns ?? 0;
}

const forcedEnd: TurnEnd = { type: "turn", reason: "forced" };

/** How the run ends with this turn; null when the other side goes on. */
function conversationOver(
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

/** A run that would be complete continues if a user message arrives before it ends; one that `endSessionTool` ended does not. */
function mayGoOn({ status, reason }: NonNullable<State["end"]>): boolean {
  return status === "completed" && reason !== "end_session_tool";
}

function runEnd({ status, reason, outcome, message }: NonNullable<State["end"]>): RunEnd {
  return { status, reason, outcome, ...(message === null ? {} : { error: { code: reason, message } }) };
}

/** The configuration of a side. An agent without a second side has only the first (the build refuses such a dual one). */
export function sideOf(agent: AnyAgentDefinition, side: Side): SideConfig {
  return side === "b" ? (agent.sideB ?? agent.sideA) : agent.sideA;
}

/** The side that answers the other. */
export function other(side: Side): Side {
  return side === "a" ? "b" : "a";
}
