// What runs used, for reports: one row per run and model. The day is the UTC day on which the run ended, which no repeat
// of the write can change, so that it may stand in the key that keeps a run from being counted twice.

import type { RunStatus } from "#contract/run.ts";
import type { Usage } from "#contract/usage.ts";

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

/** By what a report is broken down. */
export const usageDimensions = ["day", "agent", "model", "user"] as const;
export type UsageDimension = (typeof usageDimensions)[number];

/** A report over whole UTC days, both included, as `YYYY-MM-DD`. */
export interface UsageQuery {
  from: string;
  to: string;
  by: readonly UsageDimension[];
  /** Only this user's runs; null counts everybody's. */
  userId: string | null;
}

/** One line of a report: a value for each asked dimension, and the sums. */
export interface UsageRow extends Usage {
  by: Partial<Record<UsageDimension, string | null>>;
  /** Runs, each once in a line, however many models it used. */
  runs: number;
  /** USD; null where the cost of any run in it is unknown. */
  cost: number | null;
}

/** The UTC day of a time in microseconds. */
export function dayOf(at: number): string {
  return new Date(at / 1000).toISOString().slice(0, 10);
}
