// Pages of log entries in the order of time. A row is written when its step or request ends, and its entries begin earlier: at the start of
// the request, and at the starts of its calls. So the rows up to the end of a step of the main conversation are sorted together. The next
// step begins after all of them. Contract: the rows that one page reads are bounded in number and size. A page that reaches these bounds is
// short, possibly empty, and has a position. The rows of a step that exceeds the bounds alone are sorted in parts.

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

/** The number of rows, and of UTF-16 units of their JSON, after which a page reads no further batch. */
const mostRows = 1000;
const mostUnits = 12 * 1024 * 1024;

/** The maximum number of rows that one query reads. */
const batch = 25;

/** A page of entries, and the position at which the next page begins; null after the last entry. */
export function logPage(read: ReadRows, query: LogPageQuery): { entries: LogRecord[]; next: string | null } {
  const { order, limit, size, after = " " } = query;
  const entries: LogRecord[] = [];
  // A position is the key beyond which the rows of a step begin, and the last entry of the page before, unless the page ended with a step.
  let [beyond = "", last = ""] = after.split(" ", 2);
  let length = 0;
  for (const rows of steps(rowsOf(read, beyond, limit + 1), query)) {
    if (rows === null) return { entries, next: `${beyond} ` };
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

function* rowsOf(read: ReadRows, beyond: string, first: number): Generator<LogRecord> {
  let from = beyond === "" ? undefined : beyond;
  for (let asked = Math.min(first, batch); ; asked = batch) {
    const rows = read(from, asked);
    yield* rows;
    if (rows.length < asked) return;
    from = rows.at(-1)?.id;
  }
}

/** The rows of one step after the other; null, and no further step, if the bounds are reached before the end of the rows. */
function* steps(rows: Iterable<LogRecord>, { order, type }: LogPageQuery): Generator<LogRecord[] | null> {
  // Rows of these types begin when they are written.
  const isOrdered = type === "hook" || type === "error" || type === "recovery";
  const endsStep = (row: LogRecord) => isOrdered || isMainRequest(row);
  let step: LogRecord[] = [];
  let isFirst = true;
  let count = 0;
  let units = 0;
  for (const row of rows) {
    count += 1;
    units += JSON.stringify(row).length;
    if (order === "desc" && step.length > 0 && endsStep(row)) {
      yield step;
      step = [];
      isFirst = false;
    }
    if (count > 1 && (count > mostRows || units > mostUnits)) {
      // A later page begins with this step and reads it from its start. Only a step that exceeds the bounds alone is divided, and every page
      // that begins with it divides it at the same row.
      if (isFirst) yield step;
      yield null;
      return;
    }
    step.push(row);
    if (order === "asc" && endsStep(row)) {
      yield step;
      step = [];
      isFirst = false;
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
