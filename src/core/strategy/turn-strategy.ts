// The strategy of one turn: decides what each model request of the turn asks for, and when the turn ends. It has no access to models, tools
// or storage, so the same strategy works for an agent of a thread and for an agent that is executed in process. Its caller stores the state
// of each decision and passes it to the next one.
// `loop` is the plainest strategy.

import { z } from "zod";

import type { PlanStep } from "#contract/event.ts";
import type { Json, JsonObject } from "#contract/json.ts";

import type { StepOutcome, StepShape } from "../ports/strategy-port.ts";

/** What follows: another step, the end of the turn, or the end of the run with an error. */
export type TurnNext =
  | { type: "step"; shape?: StepShape }
  | { type: "end"; reason: string; outcome?: Json }
  | { type: "failed"; reason: string; message: string };

/** A decision of a turn's strategy. */
export interface TurnDecision {
  next: TurnNext;
  /**
   * True if the step belongs to the same cycle of the strategy as the last one, such as an action after its reasoning. UAP counts cycles.
   */
  continues?: true;
  /** The state for the next decision; absent for a strategy without state. */
  state?: JsonObject;
  /** The steps of the plan. Present only if the plan is new or has changed. */
  plan?: PlanStep[];
  /** A warning for the step's row. */
  warning?: string;
}

/**
 * Contract: a decision depends on the arguments alone, because a turn that a crash interrupted is continued with another object, and its
 * last decision may be requested again.
 */
export interface TurnStrategy {
  readonly name: string;
  /** Decides what follows the last step. `last` is null at the beginning of the turn; `state` is that of the decision before. */
  next(last: StepOutcome | null, state: JsonObject | null): TurnDecision | Promise<TurnDecision>;
}

/** The phase of a step whose answer is reasoning and not an answer to the user. The end of such a step emits `reasoning`. */
export const reasonPhase = "reason";

const stateSchema = z.object({ rounds: z.number() });

/** The options of the strategy. */
export interface LoopOptions {
  /** Whether an answer without tool calls ends the turn. Default true. */
  stopOnResponse?: boolean | undefined;
  /** The maximum number of rounds of tool calls. Default: no limit. */
  maxIterations?: number | undefined;
}

/** Creates the strategy. Without `maxIterations` it has no state. A blank answer does not end the turn. */
export function loop({ stopOnResponse = true, maxIterations }: LoopOptions = {}): TurnStrategy {
  return {
    name: "loop",
    next(last, state): TurnDecision {
      const rounds = (stateSchema.safeParse(state).data?.rounds ?? 0) + ((last?.calls.length ?? 0) > 0 ? 1 : 0);
      const counted = maxIterations === undefined ? {} : { state: { rounds } };
      if (maxIterations !== undefined && rounds >= maxIterations) return { next: { type: "end", reason: "max_steps" } };
      if (last !== null && isResponse(last) && stopOnResponse) return { next: { type: "end", reason: "response" } };
      return { next: { type: "step" }, ...counted };
    },
  };
}

/** Whether an answer has content and calls no tool. */
export function isResponse({ calls, blank }: StepOutcome): boolean {
  return calls.length === 0 && !blank;
}
