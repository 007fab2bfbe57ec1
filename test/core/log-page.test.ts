// The order of log entries over pages of any size. Rows are stored when their step ends, and contain calls that began at any time before.

import fc from "fast-check";
import { expect, it } from "vitest";

import { logPage } from "#core/record/log-page.ts";
import type { LogRecord } from "#core/record/record.ts";

/** A step: failed hooks before its end, calls, each with a nested loop, and failed hooks after its end. */
interface Step {
  hooks: number;
  calls: Step[][];
  after: number;
}

const step = fc.letrec<{ step: Step }>((tie) => ({
  step: fc.record({
    hooks: fc.nat(2),
    calls: fc.oneof(
      { maxDepth: 2 },
      fc.constant<Step[][]>([]),
      fc.array(fc.array(tie("step"), { maxLength: 2 }), { maxLength: 3 }),
    ),
    after: fc.nat(2),
  }),
})).step;

/** The rows of a conversation in the order in which they are stored. */
function stored(steps: readonly Step[]): LogRecord[] {
  const rows: LogRecord[] = [];
  let clock = 0;
  const row = (type: LogRecord["type"], depth: number, created_at: number, data = {}) => {
    const id = String(rows.length).padStart(6, "0");
    rows.push({ id, type, run_id: "r", parent_id: null, depth, created_at, data, events: [] });
  };
  const run = ({ hooks, calls, after }: Step, depth: number): void => {
    const begun = (clock += 1);
    for (let at = 0; at < hooks; at += 1) row("hook", depth, (clock += 1));
    const tools = calls.map((nested) => {
      const at = (clock += 1);
      for (const inner of nested) run(inner, depth + 1);
      return { at };
    });
    row("llm_request", depth, begun, { tools });
    for (let at = 0; at < after; at += 1) row("hook", depth, (clock += 1));
  };
  for (const one of steps) run(one, 0);
  return rows;
}

/** The times of all entries, read page by page. */
function times(rows: LogRecord[], order: "asc" | "desc", limit: number, type?: LogRecord["type"]): number[] {
  const found: number[] = [];
  const read = (beyond: string | undefined, most: number) => {
    const fitting = rows.filter(({ id }) => beyond === undefined || (order === "asc" ? id > beyond : id < beyond));
    return (order === "asc" ? fitting : fitting.toReversed()).slice(0, most);
  };
  let after: string | undefined;
  do {
    const { entries, next } = logPage(read, { order, limit, size: Infinity, type, after });
    expect(entries.length).toBeLessThanOrEqual(limit);
    found.push(...entries.map(({ created_at }) => created_at));
    after = next ?? undefined;
  } while (after !== undefined && found.length < 10_000);
  return found;
}

it("SALOG4 Log entries of every type are in the order of time over pages of any size, in both directions, and each occurs once", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 5 }), fc.integer({ min: 1, max: 7 }), (steps, limit) => {
      const rows = stored(steps);
      const all = rows
        .flatMap(({ created_at, data }) => [
          created_at,
          ...((data["tools"] as { at: number }[] | undefined) ?? []).map(({ at }) => at),
        ])
        .toSorted((one, other) => one - other);
      expect(times(rows, "asc", limit)).toEqual(all);
      expect(times(rows, "desc", limit)).toEqual(all.toReversed());
    }),
  );
});

it("SALOG4 The entries of one type are in the order of time over pages", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 4 }), fc.integer({ min: 1, max: 3 }), (steps, limit) => {
      const rows = stored(steps);
      const hooks = rows.filter(({ type }) => type === "hook");
      const calls = rows
        .flatMap(({ data }) => (data["tools"] as { at: number }[] | undefined) ?? [])
        .map(({ at }) => at);
      expect(times(hooks, "desc", limit, "hook")).toEqual(hooks.map(({ created_at }) => created_at).toReversed());
      expect(times(rows, "asc", limit, "tool_call")).toEqual(calls.toSorted((one, other) => one - other));
    }),
  );
});

it("A page of log entries has at least one entry and is bounded by size", () => {
  const rows = stored([1, 2, 3].map(() => ({ hooks: 0, calls: [], after: 0 })));
  const read = () => rows;
  expect(logPage(read, { order: "asc", limit: 10, size: 1 }).entries).toHaveLength(1);
});

/** A number of rows after one another, of which those that `isMain` selects end a step. The last row has a call. */
function many(count: number, { isMain, text = "" }: { isMain: (at: number) => boolean; text?: string }): LogRecord[] {
  return Array.from({ length: count }, (_, at) => ({
    id: String(at).padStart(6, "0"),
    type: "llm_request",
    run_id: "r",
    parent_id: null,
    depth: isMain(at) ? 0 : 1,
    created_at: at,
    data: { text, tools: at === count - 1 ? [{ at }] : [] },
    events: [],
  }));
}

/** The pages of rows, each with its number of entries, and with the number and the units of the rows that were read for it. */
function pagesOf(rows: LogRecord[], query: { order: "asc" | "desc"; limit: number; type?: LogRecord["type"] }) {
  const ordered = query.order === "asc" ? rows : rows.toReversed();
  const pages: { entries: LogRecord[]; rows: number; units: number }[] = [];
  let after: string | undefined;
  do {
    let [count, units] = [0, 0];
    const read = (beyond: string | undefined, most: number) => {
      const from = ordered.findIndex(
        ({ id }) => beyond === undefined || (query.order === "asc" ? id > beyond : id < beyond),
      );
      const found = from === -1 ? [] : ordered.slice(from, from + most);
      count += found.length;
      units += found.reduce((sum, row) => sum + JSON.stringify(row).length, 0);
      return found;
    };
    const { entries, next } = logPage(read, { ...query, size: 6 * 1024 * 1024, after });
    pages.push({ entries, rows: count, units });
    after = next ?? undefined;
  } while (after !== undefined && pages.length < 5000);
  return pages;
}

it.for(["asc", "desc"] as const)(
  "SALOG4, SALOG5 A page of the calls of 20,000 rows with one call reads at most 1,025 rows, and the pages have the call: %s",
  (order, test) => {
    const pages = pagesOf(many(20_000, { isMain: (at) => at % 7 === 6 }), { order, limit: 3, type: "tool_call" });
    test.expect(Math.max(...pages.map(({ rows }) => rows))).toBeLessThanOrEqual(1025);
    test.expect(pages.length).toBeLessThanOrEqual(22);
    test.expect(pages.flatMap(({ entries }) => entries.map(({ id }) => id))).toEqual(["019999.0"]);
  },
);

it.for(["asc", "desc"] as const)(
  "SALOG4, SALOG5 A page of one entry reads few rows of short steps, and a bounded size of a step with large rows, whose entries occur once: %s",
  (order, test) => {
    const short = pagesOf(many(40, { isMain: () => true }), { order, limit: 1 });
    test.expect(Math.max(...short.map(({ rows }) => rows))).toBeLessThanOrEqual(27);
    test.expect(short[0]?.rows).toBeLessThanOrEqual(27);
    test.expect(short.flatMap(({ entries }) => entries)).toHaveLength(41);
    const size = 1_000_000;
    const rows = many(60, { isMain: (at) => at === 59, text: "x".repeat(size) });
    const pages = pagesOf(rows, { order, limit: 1 });
    // The bound is reached within a batch of rows.
    test.expect(Math.max(...pages.map(({ units }) => units))).toBeLessThan(12 * 1024 * 1024 + 26 * size);
    const ids = pages.flatMap(({ entries }) => entries.map(({ id }) => id));
    test.expect(ids.toSorted()).toEqual([...rows.map(({ id }) => id), "000059.0"].toSorted());
    test
      .expect(ids.filter((id) => !id.includes(".")))
      .toEqual((order === "asc" ? rows : rows.toReversed()).map(({ id }) => id));
  },
);
