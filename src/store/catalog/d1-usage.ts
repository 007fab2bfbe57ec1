// Builds usage reports as SQL. The database computes the sums, over the requested days only.

import type { UsageDimension } from "#contract/usage-route.ts";
import { addCost, addUsage } from "#contract/usage.ts";

import { zeroSums, tooManyLines } from "./run-total.ts";
import type { UsageQuery, UsageRow, UsageSums, UsageTotals } from "./run-total.ts";

const columns: Record<UsageDimension, string> = {
  day: "day",
  agent: "agent_id",
  model: "model",
  user: "user_id",
};

/** Counts each run once, by its first row. All rows of a run have the same day, agent and user. */
const firstOfRun = `sum(NOT EXISTS (
  SELECT 1 FROM run_total AS other WHERE other.day = line.day AND other.run_id = line.run_id AND other.model < line.model))`;

/** A line of the result, with dimensions by column name. `first` counts the runs that no earlier line contains. */
export type UsageLine = UsageSums & { first: number } & Record<string, string | number | null>;

/** Builds the statement. It reads one line more than the limit, which shows that the report is too long. */
export function usageStatement(database: D1Database, { from, to, by, userId, limit }: UsageQuery): D1PreparedStatement {
  const group = by.map((dimension) => columns[dimension]);
  const grouped = group.length === 0 ? "HAVING runs > 0" : `GROUP BY ${group.join(", ")} ORDER BY ${group.join(", ")}`;
  return database
    .prepare(
      `SELECT ${group.map((column) => `${column}, `).join("")}
         count(DISTINCT run_id) AS runs, ${by.includes("model") ? firstOfRun : "count(DISTINCT run_id)"} AS first,
         sum(input) AS input, sum(output) AS output, sum(cache_read) AS cache_read, sum(cache_write) AS cache_write,
         sum(total_tokens) AS total_tokens,
         CASE WHEN count(cost) = count(*) THEN sum(cost) END AS cost, total(cost) AS known_cost
       FROM run_total AS line
       WHERE day BETWEEN ?1 AND ?2 AND (?3 IS NULL OR user_id = ?3)
       ${grouped} LIMIT ?4`,
    )
    .bind(from, to, userId, limit + 1);
}

/** Builds the report from the lines. */
export function usageTotals(found: readonly UsageLine[], { by, limit }: UsageQuery): UsageTotals {
  if (found.length > limit) throw tooManyLines(limit);
  let total = zeroSums;
  const lines = found.map((line): UsageRow => {
    const { first, runs, input, output, cache_read, cache_write, total_tokens, cost, known_cost } = line;
    const usage = { input, output, cache_read, cache_write, total_tokens };
    total = {
      ...addUsage(total, usage),
      runs: total.runs + first,
      cost: addCost(total.cost, cost),
      known_cost: total.known_cost + known_cost,
    };
    const values = by.map((dimension) => [dimension, line[columns[dimension]] ?? null] as const);
    return { by: Object.fromEntries(values) as UsageRow["by"], ...usage, runs, cost, known_cost };
  });
  return { lines, total };
}
