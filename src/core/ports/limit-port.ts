// The port for the limits of a run: steps, turns, tokens, time and cost.

import type { Limits } from "#contract/run.ts";

import type { LimitReason } from "../limits/reached.ts";
import type { AnswerSoFar, ModelRequest } from "./model-port.ts";

/** A reached limit, and whether the run is suspended or ends. */
export interface ReachedLimit {
  reason: LimitReason;
  /** The deadline for raising the limit (microseconds), while the run is suspended; null if the run ends. */
  until: number | null;
}

/** A share of the budget that is reserved for a model request. */
export interface ReservedShare {
  /** Gives the share back. Called when the request's usage is counted. */
  release: () => void;
  /**
   * Reserves the share of a further request for the same answer, in addition to the usage so far. Does not wait. Returns false if a limit is
   * reached, or if the remaining budget is too small for it and the other requests in flight; then the share is unchanged.
   * `isAllowed` asks other limits of the same request. It is called last, because it may count the request; if it returns false, the share
   * is unchanged too.
   */
  extend: (soFar: AnswerSoFar, isAllowed?: () => boolean) => boolean;
}

/** A reserved share, or the limit that is reached. */
export type Reserved = ReservedShare | { limit: ReachedLimit };

/** The purpose of a model request that is not the request of a step. */
export type RequestPurpose =
  /** A tool's function, or its server, sends the request during a call. It counts toward the deployment's ceiling of steps. */
  | { type: "tool" }
  /**
   * The request prepares the request `before` of a step, which can be sent without it. It is no step. It is refused if the remaining budget
   * is too small for both.
   */
  | { type: "extra"; before: ModelRequest };

/**
 * Contract: `reached` is called before each step of every loop of the run; usage of nested loops and child threads counts.
 * `reserve` is called before each model request, retries included. A time limit is watched between these calls: when the time is
 * over, the run's signal fires with `TimeLimitReached`. A rejection of either method is a bug.
 */
export interface LimitPort {
  /** The limit that is reached; null while the run may send model requests. */
  reached(): Promise<ReachedLimit | null>;
  /**
   * Reserves a request's share of the remaining budget. Waits while requests in flight have reserved too much of it. Returns the
   * limit if one is reached by then. If the signal fires, nothing is reserved; the caller checks the signal. Without `purpose`, the request
   * is that of a step.
   */
  reserve(request: ModelRequest, signal: AbortSignal, purpose?: RequestPurpose): Promise<Reserved>;
  /**
   * The limits of a child thread's run: an equal share of the remaining budget. `sharers` counts the calls without a share yet, this one
   * included. Null if too little remains. Returns the same limits for the same child again.
   */
  forChild(threadId: string, sharers: () => number): Promise<Limits | null>;
  /** Milliseconds that the run was executed, without its suspensions. */
  drivenMs(): number;
}
