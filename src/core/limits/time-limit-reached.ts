// The reason with which a run's signal is aborted at its limit of time.

import type { LimitReason } from "./reached.ts";

/** Distinguishes the limit of time from a stop, which aborts the signal with any other reason. */
export class TimeLimitReached extends Error {
  readonly limit: LimitReason;

  constructor(limit: LimitReason) {
    super("the run's time is up");
    this.name = "TimeLimitReached";
    this.limit = limit;
  }
}
