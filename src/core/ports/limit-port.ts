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

/** A share that is held until `release` is called, once what the request used is counted; or the limit that is reached. */
export type Reserved = { release: () => void } | { limit: ReachedLimit };

/**
 * Contract: `reached` is asked before each step on every line of the run; what lines below and child threads use counts. `reserve` is asked before each
 * model request, further attempts included. Time that the run ends with is watched between two questions: when it is up the run's signal fires with `TimeUp`.
 * Neither rejects for anything but a bug.
 */
export interface LimitPort {
  /** Null while a model may be asked. */
  reached(): Promise<ReachedLimit | null>;
  /**
   * Reserves a request's share of what is left: waits while requests in flight hold too much of it. A limit where one is
   * reached by then. Where the signal fires nothing is reserved, and the caller finds the signal fired.
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
