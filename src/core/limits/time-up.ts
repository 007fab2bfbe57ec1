// Why a run is cut in the middle of its work: its time is over.

import type { LimitReason } from "./reached.ts";

/** The reason a run's signal fires with at its limit of time; every other reason is a stop. */
export class TimeUp extends Error {
  readonly limit: LimitReason;

  constructor(limit: LimitReason) {
    super("the run's time is up");
    this.name = "TimeUp";
    this.limit = limit;
  }
}
