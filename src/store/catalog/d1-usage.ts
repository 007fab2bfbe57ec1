// Reports over run totals as SQL: the sums are made by the database, over the asked days only.

import type { UsageDimension, UsageQuery, UsageRow } from "./run-total.ts";

const columns: Record<UsageDimension, string> = {
  day: "day",
  agent: "agent_id",
  model: "model",
  user: "user_id",
};

/** A line as the database gives it: dimensions under their columns' names. */
export type UsageLine = Omit<UsageRow, "by"> & Record<string, string | number | null>;

/** The report's statement. */
export function usageStatement(database: D1Database, { from, to, by, userId }: UsageQuery): D1PreparedStatement {
  const group = [...new Set(by)].map((dimension) => columns[dimension]);
  const grouped = group.length === 0 ? "HAVING runs > 0" : `GROUP BY ${group.join(", ")} ORDER BY ${group.join(", ")}`;
  return database
    .prepare(
      `SELECT ${group.map((column) => `${column}, `).join("")}
         count(DISTINCT run_id) AS runs, sum(input) AS input, sum(output) AS output,
         sum(cache_read) AS cache_read, sum(cache_write) AS cache_write, sum(total_tokens) AS total_tokens,
         CASE WHEN count(cost) = count(*) THEN sum(cost) END AS cost
       FROM run_total
       WHERE day BETWEEN ?1 AND ?2 AND (?3 IS NULL OR user_id = ?3)
       ${grouped}`,
    )
    .bind(from, to, userId);
}

/** A line of the report. */
export function usageRow(line: UsageLine, by: readonly UsageDimension[]): UsageRow {
  const { runs, input, output, cache_read, cache_write, total_tokens, cost } = line;
  const values = by.map((dimension) => [dimension, line[columns[dimension]] ?? null] as const);
  const key = Object.fromEntries(values) as UsageRow["by"];
  return { by: key, runs, input, output, cache_read, cache_write, total_tokens, cost };
}
