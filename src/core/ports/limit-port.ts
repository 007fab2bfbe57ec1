// What bounds a run, as the loop asks for it.

import type { Limits } from "#contract/run.ts";

import type { LimitReason } from "../limits/reached.ts";
import type { ModelRequest } from "./model-port.ts";

/** A limit that is reached, and what becomes of a run then. */
export interface ReachedLimit {
  reason: LimitReason;
  /** Until when the run rests at it, to be raised (microseconds); null where the run ends. */
  until: number | null;
}

/** A reserved share, which `release` gives back when the request's usage is counted; or the limit that is reached. */
export type Reserved = { release: () => void } | { limit: ReachedLimit };

/**
 * Contract: `reached` is called before each step of every loop of the run; usage of nested loops and child threads counts.
 * `reserve` is called before each model request, retries included. A time limit is watched between these calls: when the time is
 * over, the run's signal fires with `TimeLimitReached`. A rejection of either method is a bug.
 */
export interface LimitPort {
  /** Null while a model may be asked. */
  reached(): Promise<ReachedLimit | null>;
  /**
   * Reserves a request's share of the remaining budget. Waits while requests in flight have reserved too much of it. Returns the
   * limit if one is reached by then. If the signal fires, nothing is reserved; the caller checks the signal.
   */
  reserve(request: ModelRequest, signal: AbortSignal): Promise<Reserved>;
  /**
   * What a child thread may use, where `sharers` says how many calls have no share of what is left yet, this one among them;
   * null where too little is left. Asked again for the same child it says the same.
   */
  forChild(threadId: string, sharers: () => number): Promise<Limits | null>;
  /** How long the run was driven, in all its drives together: milliseconds. */
  drivenMs(): number;
}
