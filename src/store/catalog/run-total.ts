// What runs used, for reports: one row per run and model. The day is the UTC day on which the run ended, which no repeat
// of the write can change, so that it may stand in the key that keeps a run from being counted twice.

import { refuse, type ThreadholdError } from "#contract/error.ts";
import type { RunStatus } from "#contract/run.ts";
import type { UsageDimension } from "#contract/usage-route.ts";
import { zeroUsage, type Usage } from "#contract/usage.ts";

/** What one model did in one run that ended. */
export interface RunTotal {
  run_id: string;
  model: string;
  /** The run's own `ended_at`, in microseconds; never the time of the write. */
  ended_at: number;
  agent_id: string;
  user_id: string | null;
  thread_id: string;
  status: RunStatus;
  usage: Usage;
  /** USD; null where a price is missing. */
  cost: number | null;
}

/** A report over whole UTC days, both included, as `YYYY-MM-DD`. */
export interface UsageQuery {
  from: string;
  to: string;
  by: readonly UsageDimension[];
  /** Only this user's runs; null counts everybody's. */
  userId: string | null;
  /** Most lines; a report that has more is refused. */
  limit: number;
}

/** What was used. */
export interface UsageSums extends Usage {
  /** Runs, each once, however many models it used. */
  runs: number;
  /** USD; null where the cost of any run in it is unknown. */
  cost: number | null;
  /** USD of what is known. */
  known_cost: number;
}

/** Nothing was used. */
export const noUse: UsageSums = Object.freeze({ ...zeroUsage, runs: 0, cost: 0, known_cost: 0 });

/** One line of a report: a value for each asked dimension, and the sums. */
export interface UsageRow extends UsageSums {
  by: Partial<Record<UsageDimension, string | null>>;
}

/** Lines in the order of their dimensions, and all of it together. */
export interface UsageTotals {
  lines: UsageRow[];
  total: UsageSums;
}

/** Refuses a report that is too long. */
export function tooManyLines(limit: number): ThreadholdError {
  const message = `More than ${String(limit)} lines: ask for fewer days, or break them down by less`;
  return refuse("invalid_request", `by: ${message}`, { fields: [{ path: "by", message }] });
}

/** The UTC day of a time in microseconds. */
export function dayOf(at: number): string {
  return new Date(at / 1000).toISOString().slice(0, 10);
}
