// The usage of runs, for reports: one row for each run and model. The day is the UTC day on which the run ended. It is part of the
// row's key, so a repeated write finds the same row and a run is not counted twice.

import { refuse, type ThreadholdError } from "#contract/error.ts";
import type { RunStatus } from "#contract/run.ts";
import type { UsageDimension } from "#contract/usage-route.ts";
import { addCost, addUsage, zeroUsage, type Usage } from "#contract/usage.ts";

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

/** A row of a report: the usage of one model in one run. */
export interface UsedRow extends Usage {
  day: string;
  run_id: string;
  model: string;
  agent_id: string;
  user_id: string | null;
  cost: number | null;
}

interface UsageLineSum {
  row: UsageRow;
  lastRun: string | null;
}

/** Sums up a report. The rows have to come in the order of day, run and model, so that the rows of a run follow one another. */
export class UsageSum {
  readonly #query: UsageQuery;
  readonly #lines = new Map<string, UsageLineSum>();
  readonly #total: UsageLineSum = { row: { by: {}, ...zeroSums }, lastRun: null };

  constructor(query: UsageQuery) {
    this.#query = query;
  }

  /** Adds a row. Throws `invalid_request` if the report has too many lines. */
  add(used: UsedRow): void {
    const { by, limit } = this.#query;
    const values = { day: used.day, agent: used.agent_id, model: used.model, user: used.user_id };
    const key = by.map((dimension) => values[dimension] ?? "").join("\0");
    let line = this.#lines.get(key);
    if (line === undefined) {
      if (this.#lines.size >= limit) throw tooManyLines(limit);
      const named = Object.fromEntries(by.map((dimension) => [dimension, values[dimension]]));
      line = { row: { by: named, ...zeroSums }, lastRun: null };
      this.#lines.set(key, line);
    }
    addRow(line, used);
    addRow(this.#total, used);
  }

  /** The report. Its lines are in the order of their dimensions; null is first. */
  totals(): UsageTotals {
    const inOrder = [...this.#lines].sort(([left], [right]) => (left < right ? -1 : 1));
    const { by: _, ...total } = this.#total.row;
    return { lines: inOrder.map(([, { row }]) => row), total };
  }
}

function addRow(line: UsageLineSum, { run_id, cost, ...used }: UsedRow): void {
  const { row } = line;
  const isNew = line.lastRun !== run_id;
  line.lastRun = run_id;
  line.row = {
    ...row,
    ...addUsage(row, used),
    runs: row.runs + (isNew ? 1 : 0),
    cost: addCost(row.cost, cost),
    known_cost: row.known_cost + (cost ?? 0),
  };
}
