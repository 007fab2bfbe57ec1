// The catalog on D1 under the contract of every catalog, and what only a database has: rows to pay for, indexes to use, and outages to
// report.

import { describe, expect, test } from "vitest";

import { ThreadholdError } from "#contract/error.ts";
import type { Timers } from "#lib/timers.ts";
import type { Catalog } from "#store/catalog/catalog.ts";
import { createD1Catalog } from "#store/catalog/d1-catalog.ts";
import { listStatement } from "#store/catalog/d1-list.ts";
import { putStatement, totalsStatement } from "#store/catalog/d1-statements.ts";
import { usageStatement } from "#store/catalog/d1-usage.ts";

import { catalogContract } from "./catalog-contract.ts";
import { databaseWithoutTables, emptyDatabase } from "./catalog-database.ts";
import { entryOf, everyone, noon, parentOf, threadOf, totalOf, waits } from "./catalog-entries.ts";
import { catalogListContract } from "./catalog-list-contract.ts";

/** A database that does not answer calls until `answerAgain` is called. */
function silentDatabase(database: D1Database): { database: D1Database; answerAgain: () => void } {
  let silent = true;
  const never = () => new Promise<never>(() => undefined);
  const silencing = <T extends object>(whole: T): T =>
    new Proxy(whole, {
      get(target, name): unknown {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        if (silent && (name === "batch" || name === "run" || name === "all" || name === "first")) return never;
        const bound = value.bind(target) as (...args: unknown[]) => unknown;
        if (name !== "prepare" && name !== "bind") return bound;
        return (...args: unknown[]) => (silent ? silencing(bound(...args) as object) : bound(...args));
      },
    });
  return { database: silencing(database), answerAgain: () => void (silent = false) };
}

const make = async () => createD1Catalog(await emptyDatabase());

catalogContract("on D1", make);
catalogListContract("on D1", make);

/** Rows that statements in one batch write. */
async function written(database: D1Database, statements: D1PreparedStatement[]): Promise<number> {
  const results = await database.batch(statements);
  return results.reduce((sum, { meta }) => sum + meta.rows_written, 0);
}

describe("rows that the catalog reads and writes", () => {
  test("An ended run writes at most five rows to the catalog", async () => {
    const database = await emptyDatabase();
    const flush = (version: number, changes = {}) => [
      putStatement(database, entryOf(1, { updated_at: noon + version, ...changes }, { version })),
      totalsStatement(database, [totalOf(version)]),
    ];
    expect(await written(database, flush(1))).toBe(5);
    for (const version of [2, 3, 4]) expect(await written(database, flush(version))).toBe(5);
    // A total that is reported again, or late, writes nothing new, or only the entry.
    expect(await written(database, flush(4))).toBeLessThanOrEqual(3);
    expect(await written(database, flush(3))).toBe(0);
    const child = [
      putStatement(database, entryOf(2, { parent: parentOf(1) })),
      totalsStatement(database, [totalOf(9)]),
    ];
    expect(await written(database, child)).toBe(4);
  });

  test("INBOX2 A thread that begins or stops waiting writes at most one row more to the catalog, and other threads write none", async () => {
    const database = await emptyDatabase();
    const put = (version: number, changes = {}) => [
      putStatement(database, entryOf(1, { updated_at: noon + version, ...changes }, { version })),
    ];
    expect(await written(database, put(1))).toBe(3);
    const plain = await written(database, put(2));
    expect(plain).toBe(3);
    expect(await written(database, put(3, waits))).toBeLessThanOrEqual(plain + 1);
    expect(await written(database, put(4))).toBeLessThanOrEqual(plain + 1);
    expect(await written(database, put(5))).toBe(plain);
  });

  test("A page of the threads that wait reads at most two rows for each entry, however many other threads there are", async () => {
    const database = await emptyDatabase();
    const entries = Array.from({ length: 400 }, (_, n) =>
      entryOf(n, {
        user_id: n % 2 === 0 ? "ada" : "bob",
        ...(n % 40 < 2 ? waits : {}),
      }),
    );
    await database.batch(entries.map((entry) => putStatement(database, entry)));
    const waiting = { waiting: true, limit: 5 } as const;
    for (const order of ["newest", "oldest"] as const) {
      const first = await createD1Catalog(database).list({ ...waiting, order, userId: "ada" });
      const cursor = first.next_cursor ?? "";
      for (const position of [{}, { cursor }]) {
        const requested = { ...waiting, order, userId: "ada", ...position };
        const { meta, results } = await (await listStatement(database, requested)).all();
        expect(results.length).toBeGreaterThanOrEqual(5);
        expect(meta.rows_read).toBeLessThanOrEqual(2 * 6);
      }
      // The list over all users sorts the threads that wait, and reads no others.
      const { meta, results } = await (await listStatement(database, { ...waiting, order, userId: null })).all();
      expect(results).toHaveLength(6);
      expect(meta.rows_read).toBeLessThanOrEqual(2 * 20);
    }
  });

  test("A page of the thread list reads at most two rows for each entry, however many entries come before the page", async () => {
    const database = await emptyDatabase();
    const count = 600;
    const entries = Array.from({ length: count }, (_, n) => entryOf(n, { user_id: n % 2 === 0 ? "ada" : "bob" }));
    await database.batch(entries.map((entry) => putStatement(database, entry)));
    const catalog = createD1Catalog(database);
    const first = await catalog.list({ userId: "ada", limit: 50 });
    const second = await catalog.list({ userId: "ada", limit: 50, cursor: first.next_cursor ?? "" });
    const cursor = second.next_cursor ?? "";
    for (const query of [{ userId: "ada" }, { userId: null }, { userId: "ada", cursor }, { userId: null, cursor }]) {
      const { meta, results } = await (await listStatement(database, { ...query, limit: 50 })).all();
      expect(results).toHaveLength(51);
      expect(meta.rows_read).toBeLessThanOrEqual(2 * 51);
    }
  });

  test("Queries for thread lists use an index and do not sort their rows", async () => {
    const database = await emptyDatabase();
    const plan = async (statement: string, ...values: unknown[]) => {
      const explained = database.prepare(`EXPLAIN QUERY PLAN ${statement}`).bind(...values);
      const { results } = await explained.all<{ detail: string }>();
      return results.map(({ detail }) => detail).join("; ");
    };
    const order = "ORDER BY updated_at DESC, id DESC LIMIT 5";
    expect(await plan(`SELECT body FROM thread WHERE parent_id IS NULL AND user_id = 'a' ${order}`)).toMatch(
      /^SEARCH thread USING INDEX thread_by_user \(user_id=\?\)$/,
    );
    expect(await plan(`SELECT body FROM thread WHERE parent_id IS NULL ${order}`)).toMatch(
      /^SCAN thread USING INDEX thread_by_activity$/,
    );
    expect(await plan(`SELECT body FROM thread WHERE parent_id = ? ${order}`, "p")).toMatch(
      /^SEARCH thread USING INDEX thread_by_parent \(parent_id=\?\)$/,
    );
  });

  test("USAGE8 A usage report reads one row for each run and model of the requested days and user", async () => {
    const database = await emptyDatabase();
    const totals = Array.from({ length: 300 }, (_, n) =>
      totalOf(n, { ended_at: noon + (n % 30) * 86_400_000_000, user_id: n % 10 === 0 ? "bob" : "ada" }),
    );
    await totalsStatement(database, totals).run();
    for (const [userId, rows] of [
      [null, 20],
      ["bob", 10],
      ["eve", 0],
    ] as const) {
      const requested = { from: "2026-08-10", to: "2026-08-13", by: [], userId, limit: 10 };
      const days = userId === null ? { ...requested, to: "2026-08-11" } : requested;
      const { meta, results } = await usageStatement(database, days, { after: undefined, limit: 5000 }).all();
      expect(results).toHaveLength(rows);
      expect(meta.rows_read).toBeLessThanOrEqual(rows + 1);
    }
  });

  test("USAGE8 A usage report of 19,999 rows is summed up in pages, and one of more rows is refused with the way out", async () => {
    const database = await emptyDatabase();
    const totals = Array.from({ length: 19_999 }, (_, n) => totalOf(n, { model: `model-${n % 3}` }));
    for (let at = 0; at < totals.length; at += 1000) {
      await totalsStatement(database, totals.slice(at, at + 1000)).run();
    }
    const catalog = createD1Catalog(database);
    for (const userId of [null, "ada"]) {
      const requested = { from: "2026-08-03", to: "2026-08-03", by: ["model"] as const, userId, limit: 10 };
      const { lines, total } = await catalog.usage(requested);
      expect([lines.length, total.runs, total.input]).toEqual([3, 19_999, 199_990]);
    }
    await totalsStatement(database, [totalOf(20_000)]).run();
    for (const userId of [null, "ada"]) {
      const requested = { from: "2026-08-03", to: "2026-08-03", by: [], userId, limit: 10 };
      await expect(catalog.usage(requested)).rejects.toMatchObject({
        code: "invalid_request",
        message: expect.stringContaining("Choose a shorter period") as string,
      });
    }
  });

  test("LIST1 A page of the thread list reads at most 20,000 rows with every filter, and its cursor leads to all threads that match", async () => {
    const database = await emptyDatabase();
    const catalog = createD1Catalog(database);
    const match = {
      agent_id: "rare",
      origin_agent_id: "rare",
      status: "error" as const,
      tags: ["a,", "rare"],
      title: "needle",
    };
    const count = 8000;
    const entries = Array.from({ length: count }, (_, n) =>
      entryOf(n, {
        tags: ["x", ",y"],
        ...(n % 3999 === 1 ? match : {}),
        ...(n % 2 === 0 ? waits : {}),
        ...(n % 3999 === 1 ? { status: "error" } : {}),
      }),
    );
    for (let at = 0; at < count; at += 500) {
      await database.batch(entries.slice(at, at + 500).map((entry) => putStatement(database, entry)));
    }
    const found = ["7999", "4000", "1"];
    const filters = [
      { agentId: "rare" },
      { status: "error" as const },
      { tag: "rare" },

      { q: "needle" },
      { q: "absent" },
      { waiting: true, q: "absent" },
    ];
    for (const filter of filters) {
      for (const userId of ["ada", null]) {
        const query = { ...filter, userId, limit: 50 };
        const { meta } = await (await listStatement(database, query)).all();
        // The waiting threads are counted first.
        expect(meta.rows_read + 2501).toBeLessThanOrEqual(20_000);
        const received: string[] = [];
        let pages = 0;
        for (let cursor: string | undefined; pages < 5;) {
          const page = await catalog.list({ ...query, cursor });
          pages += 1;
          received.push(...page.items.map(({ id }) => String(Number(id.slice(-12)))));
          if (page.next_cursor === null) break;
          cursor = page.next_cursor;
        }
        expect(pages).toBeLessThan(5);
        const isEmpty = "waiting" in filter || filter.q === "absent";
        expect(received).toEqual(isEmpty ? [] : found);
      }
    }
  });
  test("LIST1 A page of the waiting threads of a user reads at most 20,000 rows, however many child threads of the user wait", async () => {
    const database = await emptyDatabase();
    const count = 21_000;
    const bodyOf = (n: number) => entryOf(n, { ...waits, ...(n % 10_000 === 0 ? {} : { parent: parentOf(0) }) });
    for (let at = 0; at < count; at += 1000) {
      const entries = Array.from({ length: 1000 }, (_, n) => bodyOf(at + n));
      await database.batch(entries.map((entry) => putStatement(database, entry)));
    }
    const catalog = createD1Catalog(database);
    for (const order of ["newest", "oldest"] as const) {
      const received: number[] = [];
      let cursor: string | undefined;
      for (let pages = 0; pages < 5; pages += 1) {
        const query = { userId: "ada", waiting: true, order, limit: 50, cursor };
        const { meta } = await (await listStatement(database, query)).all();
        // The waiting threads of the user are counted first.
        expect(meta.rows_read + 2501).toBeLessThanOrEqual(20_000);
        const page = await catalog.list(query);
        received.push(...page.items.map(({ id }) => Number(id.slice(-12))));
        if (page.next_cursor === null) break;
        cursor = page.next_cursor;
      }
      const all = [0, 10_000, 20_000];
      expect(received).toEqual(order === "oldest" ? all : all.reverse());
    }
  });
});

describe("a catalog whose database is not available", () => {
  const callsOf = (catalog: Catalog) => {
    const request = { owner: null, key: "k", fingerprint: "f", threadId: "t", now: noon };
    return [
      () => catalog.put(entryOf(1)),
      () => catalog.flush(entryOf(1), [totalOf(1)]),
      () => catalog.addRunTotals([totalOf(1)]),
      () => catalog.remove({ threadId: "t", createdAt: 1, now: 1 }),
      () => catalog.get(threadOf(1).id),
      () => catalog.list(everyone),
      () => catalog.usage({ from: "2026-01-01", to: "2026-01-02", by: [], userId: null, limit: 1 }),
      () => catalog.reserveCreation(request),
      () => catalog.isReserved(request),
    ];
  };

  test("The methods of the catalog fail with unavailable if the database fails, and keep the cause for the log", async () => {
    for (const call of callsOf(createD1Catalog(await databaseWithoutTables()))) {
      const error: unknown = await call().then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(ThreadholdError);
      expect(error).toMatchObject({ code: "unavailable", message: expect.not.stringMatching(/SQL|table/) as string });
      expect(String((error as Error).cause)).toContain("no such table");
    }
  });

  test("The methods of the catalog fail with unavailable if the database never answers", async () => {
    const { database } = silentDatabase(await emptyDatabase());
    for (const ensureSchema of [false, true]) {
      const limits: number[] = [];
      const timers: Timers = {
        after(milliseconds, run) {
          limits.push(milliseconds);
          queueMicrotask(run);
          return () => undefined;
        },
      };
      const calls = callsOf(createD1Catalog(database, { ensureSchema, timers }));
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "unavailable" });
      expect(limits).toEqual([5000, 5000, 5000, 5000, 5000, 15_000, 15_000, 5000, 5000]);
    }
  });

  test("Other requests are not blocked if a request ends during its check of the catalog's tables", async () => {
    const { database, answerAgain } = silentDatabase(await emptyDatabase());
    // Like the promise of a request whose client has left: it never settles.
    const ended = createD1Catalog(database, { ensureSchema: true }).list(everyone);
    ended.catch(() => undefined);
    answerAgain();
    for (const _ of [1, 2]) {
      expect((await createD1Catalog(database, { ensureSchema: true }).list(everyone)).items).toEqual([]);
    }
  });
});
