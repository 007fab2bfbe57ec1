// The usage of runs, for reports: one row for each run and model. The day is the UTC day on which the run ended. It is part of the
// row's key, so a repeated write finds the same row and a run is not counted twice.

import { refuse, type ThreadholdError } from "#contract/error.ts";
import type { RunStatus } from "#contract/run.ts";
import type { UsageDimension } from "#contract/usage-route.ts";
import { zeroUsage, type Usage } from "#contract/usage.ts";

/** The usage of one model in one run that has ended. */
export interface RunTotal {
  run_id: string;
  model: string;
  /** The run's `ended_at` in microseconds, not the time of the write. */
  ended_at: number;
  agent_id: string;
  user_id: string | null;
  thread_id: string;
  status: RunStatus;
  usage: Usage;
  /** USD; null if a price is unknown. */
  cost: number | null;
}

/** A report over whole UTC days from `from` to `to`, both included, as `YYYY-MM-DD`. */
export interface UsageQuery {
  from: string;
  to: string;
  by: readonly UsageDimension[];
  /** Only runs of this user; null for those of all users. */
  userId: string | null;
  /** Maximal number of lines; a longer report is refused. */
  limit: number;
}

/** Sums of usage. */
export interface UsageSums extends Usage {
  /** Number of runs. A run with several models counts once. */
  runs: number;
  /** USD; null if the cost of any of the runs is unknown. */
  cost: number | null;
  /** USD of the known costs. */
  known_cost: number;
}

/** The sums of no runs. */
export const zeroSums: UsageSums = Object.freeze({ ...zeroUsage, runs: 0, cost: 0, known_cost: 0 });

/** One line of a report: its value of each requested dimension, and its sums. */
export interface UsageRow extends UsageSums {
  by: Partial<Record<UsageDimension, string | null>>;
}

/** The lines in the order of their dimensions, and the sums over all of them. */
export interface UsageTotals {
  lines: UsageRow[];
  total: UsageSums;
}

/** The error for a report that is too long. */
export function tooManyLines(limit: number): ThreadholdError {
  const message = `More than ${String(limit)} lines: ask for fewer days, or break them down by less`;
  return refuse("invalid_request", `by: ${message}`, { fields: [{ path: "by", message }] });
}

/** The UTC day of a time in microseconds. */
export function dayOf(at: number): string {
  return new Date(at / 1000).toISOString().slice(0, 10);
}
