// The order of log entries over pages of any size. Rows are stored when their step ends, and contain calls that began at any time before.

import fc from "fast-check";
import { expect, it } from "vitest";

import { logPage } from "#core/log-page.ts";
import type { LogRecord } from "#core/record.ts";

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
