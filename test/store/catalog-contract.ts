// The contract of every catalog, whatever stores it: the newest entry of each thread, no entry of deleted ones, keys and totals once. Each
// test gets an empty catalog.

import { describe, expect, test } from "vitest";

import { creationKept, removalKept, type Catalog } from "#store/catalog/catalog.ts";
import { zeroSums } from "#store/catalog/run-total.ts";

import { day, entryOf, everyone, noon, threadOf, totalOf } from "./catalog-entries.ts";

/** Returns a new, empty catalog. */
export type MakeCatalog = () => Promise<Catalog>;

const { id } = threadOf(1);
const limit = 100;
const removal = { threadId: id, createdAt: noon, now: noon + day };

/** The suite for one kind of catalog. */
export function catalogContract(kind: string, make: MakeCatalog): void {
  describe(`catalog ${kind}`, () => {
    test("The catalog keeps the newest version of a thread, in whatever order versions arrive", async () => {
      const catalog = await make();
      expect(await catalog.get(id)).toBeNull();
      const metadata = { "half \ud800": [null, { "": "\u0000" }] };
      await catalog.put(entryOf(1, { title: "two", metadata }, { version: 2 }));
      expect(await catalog.get(id)).toEqual(threadOf(1, { title: "two", metadata }));
      await catalog.put(entryOf(1, { title: "one" }, { version: 1 }));
      expect((await catalog.get(id))?.title).toBe("two");
      await catalog.put(entryOf(1, { title: "two again" }, { version: 2 }));
      expect((await catalog.get(id))?.title).toBe("two again");
      await catalog.put(entryOf(1, { title: "three", user_id: "bob" }, { version: 3 }));
      expect((await catalog.list({ ...everyone, userId: "bob" })).items).toEqual([
        threadOf(1, { title: "three", user_id: "bob" }),
      ]);
      expect((await catalog.list({ ...everyone, userId: "ada" })).items).toEqual([]);
    });

    test("A catalog entry that is too large for a row is refused", async () => {
      const catalog = await make();
      const entry = entryOf(1, { metadata: { text: "x".repeat(2_000_000) } });
      await expect(catalog.put(entry)).rejects.toMatchObject({ code: "too_large" });
      await expect(catalog.flush(entry, [totalOf(1)])).rejects.toMatchObject({ code: "too_large" });
      expect(await catalog.get(id)).toBeNull();
    });

    test("A late write of a deleted thread does not add it to the catalog again, and its totals remain", async () => {
      const catalog = await make();
      await catalog.put(entryOf(1, {}, { version: 5 }));
      await catalog.remove(removal);
      await catalog.remove(removal);
      expect(await catalog.get(id)).toBeNull();
      await catalog.put(entryOf(1, {}, { version: 9 }));
      await catalog.flush(entryOf(1, {}, { version: 10 }), [totalOf(1)]);
      expect(await catalog.get(id)).toBeNull();
      expect((await catalog.list(everyone)).items).toEqual([]);
      // The totals of a thread remain after its deletion.
      const { lines } = await catalog.usage({ from: "2026-08-03", to: "2026-08-03", by: [], userId: null, limit });
      expect(lines).toHaveLength(1);
    });

    test("A thread that is created again under the id of an earlier thread has a separate catalog entry, which late writes and removals of the earlier one do not change", async () => {
      const catalog = await make();
      await catalog.put(entryOf(1, {}, { version: 500 }));
      const second = entryOf(1, { title: "second", created_at: noon + 2 * day }, { version: 1 });
      await catalog.put(second);
      await catalog.put(entryOf(1, {}, { version: 501 }));
      expect((await catalog.get(id))?.title).toBe("second");
      await catalog.remove(removal);
      expect((await catalog.get(id))?.title).toBe("second");
      await catalog.remove({ ...removal, createdAt: noon + 2 * day });
      await catalog.remove(removal);
      await catalog.put(second);
      expect(await catalog.get(id)).toBeNull();
      await catalog.put(entryOf(1, { title: "third", created_at: noon + 3 * day }, { version: 1 }));
      expect((await catalog.get(id))?.title).toBe("third");
    });

    test("The catalog ignores late writes of a removed thread for seven days", async () => {
      const catalog = await make();
      await catalog.remove(removal);
      await catalog.remove({ threadId: threadOf(2).id, createdAt: noon, now: removal.now + removalKept - 1 });
      await catalog.put(entryOf(1));
      expect(await catalog.get(id)).toBeNull();
      await catalog.remove({ threadId: threadOf(3).id, createdAt: noon, now: removal.now + removalKept });
      await catalog.put(entryOf(1));
      expect(await catalog.get(id)).not.toBeNull();
    });

    test("The usage of a run is counted once per model, however often it is reported", async () => {
      const catalog = await make();
      await catalog.addRunTotals([totalOf(1), totalOf(1), totalOf(1, { model: "large", cost: 2 })]);
      await catalog.flush(entryOf(1), [totalOf(1, { usage: { ...totalOf(1).usage, input: 999 } }), totalOf(2)]);
      await catalog.addRunTotals([]);
      await catalog.flush(entryOf(1, { title: "t" }, { version: 2 }), []);
      const { lines, total } = await catalog.usage({
        from: "2026-08-01",
        to: "2026-08-31",
        by: [],
        userId: null,
        limit,
      });
      expect(lines).toEqual([{ by: {}, ...total }]);
      expect(total).toEqual({
        runs: 2,
        input: 30,
        output: 15,
        cache_read: 6,
        cache_write: 3,
        total_tokens: 54,
        cost: 3,
        known_cost: 3,
      });
      expect((await catalog.get(id))?.title).toBe("t");
    });

    test("A usage report sums whole days by the requested dimensions, and its cost is unknown if one cost is unknown", async () => {
      const catalog = await make();
      await catalog.addRunTotals([
        totalOf(1),
        totalOf(2, { user_id: null, agent_id: "sales", cost: null }),
        totalOf(3, { ended_at: noon + day, model: "large" }),
        totalOf(3, { ended_at: noon + day, model: "fast" }),
        totalOf(4, { ended_at: noon + 12 * 3600 * 1e6 - 1, user_id: "bob" }),
        totalOf(5, { ended_at: noon + 30 * day }),
      ]);
      const range = { from: "2026-08-03", to: "2026-08-04", userId: null, limit };
      const lines = async (by: Parameters<Catalog["usage"]>[0]["by"]) =>
        (await catalog.usage({ ...range, by })).lines.map((row) => [row.by, row.runs, row.cost]);
      expect(await lines(["day"])).toEqual([
        [{ day: "2026-08-03" }, 3, null],
        [{ day: "2026-08-04" }, 1, 1],
      ]);
      expect(await lines(["user"])).toEqual([
        [{ user: null }, 1, null],
        [{ user: "ada" }, 2, 1.5],
        [{ user: "bob" }, 1, 0.5],
      ]);
      expect(await lines(["day", "model"])).toEqual([
        [{ day: "2026-08-03", model: "fast" }, 3, null],
        [{ day: "2026-08-04", model: "fast" }, 1, 0.5],
        [{ day: "2026-08-04", model: "large" }, 1, 0.5],
      ]);
      expect(await lines(["agent"])).toEqual([
        [{ agent: "sales" }, 1, null],
        [{ agent: "support" }, 3, 2],
      ]);
      const ofBob = await catalog.usage({ ...range, by: ["day"], userId: "bob" });
      expect(ofBob.lines.map((row) => row.runs)).toEqual([1]);
      const none = await catalog.usage({ from: "2025-01-01", to: "2025-12-31", by: [], userId: null, limit });
      expect(none).toEqual({ lines: [], total: zeroSums });
    });

    test("The total of a usage report counts a run once, and contains the known part of a cost that is otherwise unknown", async () => {
      const catalog = await make();
      await catalog.addRunTotals([
        totalOf(1),
        totalOf(1, { model: "large", cost: null }),
        totalOf(1, { model: "small", cost: 0.25 }),
        totalOf(2, { model: "small", ended_at: noon + day }),
        totalOf(3, { model: "small", user_id: "bob" }),
      ]);
      const range = { from: "2026-08-03", to: "2026-08-04", limit };
      const all = await catalog.usage({ ...range, by: ["model"], userId: null });
      expect(all.lines.map((row) => [row.by.model, row.runs, row.cost, row.known_cost])).toEqual([
        ["fast", 1, 0.5, 0.5],
        ["large", 1, null, 0],
        ["small", 3, 1.25, 1.25],
      ]);
      expect(all.total).toMatchObject({ runs: 3, input: 50, total_tokens: 90, cost: null, known_cost: 1.75 });
      for (const by of [["day"], ["user"], ["agent", "model"], ["day", "agent", "model", "user"], []] as const) {
        expect((await catalog.usage({ ...range, by, userId: null })).total).toEqual(all.total);
      }
      const ofBob = await catalog.usage({ ...range, by: ["model"], userId: "bob" });
      expect(ofBob.total).toMatchObject({ runs: 1, cost: 0.5 });
    });

    test("A usage report of more lines than allowed is refused, and the error says what to do", async () => {
      const catalog = await make();
      await catalog.addRunTotals([1, 2, 3].map((n) => totalOf(n, { agent_id: `agent-${n}` })));
      const requested = { from: "2026-08-03", to: "2026-08-03", by: ["agent"] as const, userId: null };
      expect((await catalog.usage({ ...requested, limit: 3 })).lines).toHaveLength(3);
      await expect(catalog.usage({ ...requested, limit: 2 })).rejects.toMatchObject({
        code: "invalid_request",
        message: expect.stringContaining("fewer days") as string,
        refusal: { details: { fields: [{ path: "by" }] } },
      });
    });

    test("The first creation of a thread with an idempotency key reserves the key for its owner for a day", async () => {
      const catalog = await make();
      const first = { owner: "ada", key: "k", fingerprint: "f1", threadId: "t1", now: noon };
      const held = { threadId: "t1", fingerprint: "f1", removed: false };
      expect(await catalog.reserveCreation(first)).toEqual(held);
      const second = { ...first, fingerprint: "f2", threadId: "t2" };
      expect(await catalog.reserveCreation(second)).toEqual(held);
      expect(await catalog.reserveCreation({ ...second, now: noon + creationKept - 1 })).toEqual(held);
      const other = { threadId: "t2", fingerprint: "f2", removed: false };
      expect(await catalog.reserveCreation({ ...second, owner: "bob" })).toEqual(other);
      expect(await catalog.reserveCreation({ ...second, owner: null })).toEqual(other);
      expect(await catalog.reserveCreation({ ...second, key: "k2" })).toEqual(other);
      expect(await catalog.reserveCreation({ ...second, now: noon + creationKept })).toEqual(other);
      expect(await catalog.reserveCreation({ ...first, now: noon + creationKept + 1 })).toEqual(other);
    });

    test("An idempotency key is reserved for its owner alone and for a day, and a check of the reservation reserves nothing", async () => {
      const catalog = await make();
      const wanted = { owner: "ada", key: "k", now: noon };
      expect(await catalog.isReserved(wanted)).toBe(false);
      expect(await catalog.isReserved(wanted)).toBe(false);
      await catalog.reserveCreation({ ...wanted, fingerprint: "f", threadId: "t" });
      const reserved = [
        { ...wanted, now: noon + creationKept - 1 },
        { ...wanted, now: noon + creationKept },
        { ...wanted, owner: "bob" },
        { ...wanted, owner: null },
        { ...wanted, key: "k2" },
      ].map((each) => catalog.isReserved(each));
      expect(await Promise.all(reserved)).toEqual([true, false, false, false, false]);
    });

    test("The reservation of an idempotency key reports the removal of its thread, and not of another thread or of an earlier one with the same id", async () => {
      const catalog = await make();
      const first = { owner: "ada", key: "k", fingerprint: "f", threadId: "t1", now: noon };
      const held = { threadId: "t1", fingerprint: "f", removed: false };
      await catalog.remove({ threadId: "t2", createdAt: noon, now: noon + 1 });
      expect(await catalog.reserveCreation(first)).toEqual(held);
      await catalog.remove({ threadId: "t1", createdAt: noon + 1, now: noon + 2 });
      expect(await catalog.reserveCreation({ ...first, now: noon + 3 })).toEqual({ ...held, removed: true });
      const last = { ...first, now: noon + creationKept - 1 };
      expect(await catalog.reserveCreation(last)).toEqual({ ...held, removed: true });
      const later = { ...first, key: "k2", now: noon + 3 };
      expect(await catalog.reserveCreation(later)).toEqual(held);
      await catalog.remove({ threadId: "t1", createdAt: noon + 4, now: noon + 5 });
      expect(await catalog.reserveCreation(later)).toEqual({ ...held, removed: true });
    });

    test("Simultaneous creations with one idempotency key get one thread", async () => {
      const catalog = await make();
      const ask = (n: number) =>
        catalog.reserveCreation({ owner: "ada", key: "k", fingerprint: "f", threadId: `t${n}`, now: noon });
      const answers = await Promise.all([1, 2, 3, 4, 5].map(ask));
      expect(new Set(answers.map((answer) => answer.threadId)).size).toBe(1);
    });
  });
}
