// The strategy of one turn: decides what each model request of the turn asks for, and when the turn ends. It has no access to models, tools
// or storage, so the same strategy works for an agent of a thread and for an agent that is executed in process. Its caller stores the state
// of each decision and passes it to the next one.

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
