// The abort reason of a run that reached its time limit.

import type { LimitReason } from "./reached.ts";

/** Distinguishes the time limit from a stop, which aborts the signal with another reason. */
export class TimeLimitReached extends Error {
  readonly limit: LimitReason;

  constructor(limit: LimitReason) {
    super("the run's time is up");
    this.name = "TimeLimitReached";
    this.limit = limit;
  }
}
