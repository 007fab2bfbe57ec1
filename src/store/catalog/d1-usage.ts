// Reads the rows of a usage report from D1, in pages. Contract: a report reads at most 20,000 rows, of the requested days and user only. A
// report over more rows is refused.

import { refuse } from "#contract/error.ts";

import { UsageSum } from "./run-total.ts";
import type { UsageQuery, UsageTotals, UsedRow } from "./run-total.ts";

/** Rows that a request may read, with the one that shows that there are more. */
const mostRows = 20_000;

/** Rows of a page, which bounds the memory of a report. */
const pageRows = 5000;

const columns = `day, run_id, model, agent_id, user_id, input, output, cache_read, cache_write, total_tokens, cost`;

/** The statement of a page, after the last row of the page before. The order is the one of the index that it uses. */
export function usageStatement(
  database: D1Database,
  { from, to, userId }: UsageQuery,
  { after, limit }: { after: UsedRow | undefined; limit: number },
): D1PreparedStatement {
  const position = [after?.day ?? from, after?.run_id ?? "", after?.model ?? ""];
  const page = "day <= ?1 AND (day, run_id, model) > (?2, ?3, ?4) ORDER BY day, run_id, model LIMIT ?5";
  return userId === null
    ? database.prepare(`SELECT ${columns} FROM run_total WHERE ${page}`).bind(to, ...position, limit)
    : database
        .prepare(`SELECT ${columns} FROM run_total INDEXED BY run_total_by_user WHERE user_id = ?6 AND ${page}`)
        .bind(to, ...position, limit, userId);
}

/** Reads and sums up a report. Throws `invalid_request` if it is over more rows than a request may read. */
export async function readUsage(database: D1Database, query: UsageQuery): Promise<UsageTotals> {
  const sum = new UsageSum(query);
  let after: UsedRow | undefined;
  for (let read = 0; ;) {
    const limit = Math.min(pageRows, mostRows - read);
    const { results } = await usageStatement(database, query, { after, limit }).all<UsedRow>();
    read += results.length;
    if (read >= mostRows) throw tooManyRows();
    for (const row of results) sum.add(row);
    if (results.length < limit) return sum.totals();
    after = results.at(-1);
  }
}

function tooManyRows() {
  const message = `The report would read ${String(mostRows)} rows or more, one for each run and model. Choose a shorter period`;
  return refuse("invalid_request", `from: ${message}`, { fields: [{ path: "from", message }] });
}
