// Pages of log entries in the order of time. A row is written when its step or request ends, and its entries begin earlier: at the start of
// the request, and at the starts of its calls. So the rows up to the end of a step of the main conversation are sorted together. The next
// step begins after all of them.

import { logEntries, toolCallEntries } from "./log-entries.ts";
import type { LogRecord } from "./record.ts";

/** Reads at most `limit` rows beyond a key, in the page's order. */
type ReadRows = (beyond: string | undefined, limit: number) => LogRecord[];

/** Which entries a page contains. */
export interface LogPageQuery {
  order: "asc" | "desc";
  limit: number;
  /** The maximum number of UTF-16 units of the entries' JSON. */
  size: number;
  type?: LogRecord["type"] | undefined;
  /** The `next` of the page before. */
  after?: string | undefined;
}

/** The maximum number of rows that are sorted together. */
const mostTogether = 1000;

/** The number of rows that one query reads. */
const batch = 25;

/** A page of entries, and the position at which the next page begins; null after the last entry. */
export function logPage(read: ReadRows, query: LogPageQuery): { entries: LogRecord[]; next: string | null } {
  const { order, limit, size, after = " " } = query;
  const entries: LogRecord[] = [];
  // A position is the key beyond which the rows of a step begin, and the last entry of the page before, unless the page ended with a step.
  let [beyond = "", last = ""] = after.split(" ", 2);
  let length = 0;
  for (const rows of steps(rowsOf(read, beyond), query)) {
    if (order === "desc" && beyond === "") beyond = `${rows[0]?.id ?? ""}~`;
    const sorted = sortedEntries(rows, query);
    const from = sorted.findIndex(({ id }) => id === last) + 1;
    for (const entry of sorted.slice(from)) {
      length += JSON.stringify(entry).length;
      if (entries.length >= limit || (length > size && entries.length > 0))
        return { entries, next: `${beyond} ${last}` };
      entries.push(entry);
      last = entry.id;
    }
    beyond = rows.at(-1)?.id ?? beyond;
    last = "";
  }
  return { entries, next: null };
}

function* rowsOf(read: ReadRows, beyond: string): Generator<LogRecord> {
  let from = beyond === "" ? undefined : beyond;
  for (;;) {
    const rows = read(from, batch);
    yield* rows;
    if (rows.length < batch) return;
    from = rows.at(-1)?.id;
  }
}

/** The rows of one step after the other. */
function* steps(rows: Iterable<LogRecord>, { order, type }: LogPageQuery): Generator<LogRecord[]> {
  // Rows of these types begin when they are written.
  const isOrdered = type === "hook" || type === "error" || type === "recovery";
  const endsStep = (row: LogRecord) => isOrdered || isMainRequest(row);
  let step: LogRecord[] = [];
  for (const row of rows) {
    if (step.length === mostTogether || (order === "desc" && step.length > 0 && endsStep(row))) {
      yield step;
      step = [];
    }
    step.push(row);
    if (order === "asc" && endsStep(row)) {
      yield step;
      step = [];
    }
  }
  if (step.length > 0) yield step;
}

/** Whether everything that is stored later begins later. The rows of nested loops and of failed hooks are in the step of their call. */
function isMainRequest(row: LogRecord): boolean {
  return row.type === "llm_request" && row.depth === 0;
}

function sortedEntries(rows: readonly LogRecord[], { order, type }: LogPageQuery): LogRecord[] {
  const stored = order === "asc" ? rows : rows.toReversed();
  const entries = stored.flatMap((row) => entriesOf(row, type)).sort((one, other) => one.created_at - other.created_at);
  return order === "asc" ? entries : entries.reverse();
}

/** The entries of a row that have the requested type; without a type, the row itself and its calls. */
function entriesOf(row: LogRecord, type: LogPageQuery["type"]): LogRecord[] {
  if (type === undefined) return logEntries(row);
  return type === "tool_call" ? toolCallEntries(row) : [row];
}
