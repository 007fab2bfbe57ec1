// How every catalog lists threads: order, filters, pages and cursors. Part of the suite for each kind of catalog.

import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Catalog, ThreadListQuery } from "#store/catalog/catalog.ts";

import type { MakeCatalog } from "./catalog-contract.ts";
import { entryOf, everyone, noon, parentOf, threadOf, waits } from "./catalog-entries.ts";

/** The numbers of the threads in a list. */
async function numbers(catalog: Catalog, query: Partial<ThreadListQuery> = {}): Promise<number[]> {
  const { items } = await catalog.list({ ...everyone, ...query });
  return items.map((thread) => Number(thread.id.slice(-12)));
}

/** A cursor of any value. */
function cursorOf(value: unknown): string {
  return btoa(JSON.stringify(value)).replaceAll("=", "");
}

/** The part of the suite about lists. */
export function catalogListContract(kind: string, make: MakeCatalog): void {
  describe(`lists of a catalog ${kind}`, () => {
    test("A list of threads begins with the newest activity, for one user and for all", async () => {
      const catalog = await make();
      for (const n of [2, 3, 1]) await catalog.put(entryOf(n, { user_id: n === 3 ? "bob" : "ada" }));
      await catalog.put(entryOf(4, { user_id: null }));
      expect(await numbers(catalog)).toEqual([4, 3, 2, 1]);
      expect(await numbers(catalog, { userId: "ada" })).toEqual([2, 1]);
      expect(await numbers(catalog, { userId: "eve" })).toEqual([]);
      await catalog.put(entryOf(1, { updated_at: noon + 9_000_000 }, { version: 2 }));
      expect(await numbers(catalog, { userId: "ada" })).toEqual([1, 2]);
    });

    test("A list in the order oldest begins with the oldest activity, alone and with filters", async () => {
      const catalog = await make();
      for (const n of [2, 3, 1]) await catalog.put(entryOf(n, { user_id: n === 3 ? "bob" : "ada" }));
      await catalog.put(entryOf(4, waits));
      await catalog.put(entryOf(0, { ...waits, user_id: null }));
      const oldest = { order: "oldest" } as const;
      expect(await numbers(catalog, oldest)).toEqual([0, 1, 2, 3, 4]);
      expect(await numbers(catalog, { ...oldest, userId: "ada" })).toEqual([1, 2, 4]);
      expect(await numbers(catalog, { ...oldest, waiting: true })).toEqual([0, 4]);
      expect(await numbers(catalog, { order: "newest", waiting: true })).toEqual([4, 0]);
      expect(await numbers(catalog, { ...oldest, waiting: true, userId: "ada" })).toEqual([4]);
      expect(await numbers(catalog, { ...oldest, waiting: false })).toEqual([0, 1, 2, 3, 4]);
    });

    test("Filters of the thread list apply alone and together", async () => {
      const catalog = await make();
      await catalog.put(entryOf(1, { agent_id: "sales", origin_agent_id: "support", tags: ["a b", "%"] }));
      await catalog.put(entryOf(2, { status: "running", tags: ["a", "b"] }));
      await catalog.put(entryOf(3, { agent_id: "sales", origin_agent_id: "sales", status: "running" }));
      expect(await numbers(catalog, { agentId: "support" })).toEqual([2, 1]);
      expect(await numbers(catalog, { agentId: "sales" })).toEqual([3, 1]);
      expect(await numbers(catalog, { status: "running" })).toEqual([3, 2]);
      expect(await numbers(catalog, { status: "running", agentId: "sales" })).toEqual([3]);
      expect(await numbers(catalog, { tag: "a" })).toEqual([2]);
      expect(await numbers(catalog, { tag: "%" })).toEqual([1]);
      expect(await numbers(catalog, { tag: "a", userId: "bob" })).toEqual([]);
    });

    test("A text search matches any part of title or last message, in any letter case and alphabet", async () => {
      const catalog = await make();
      await catalog.put(entryOf(1, { title: "Österreich 100%_done" }, { lastMessage: "see \\ 'quotes'" }));
      await catalog.put(entryOf(2, { title: null }, { lastMessage: `PRAHA ${"long ".repeat(50)}` }));
      await catalog.put(entryOf(3, { title: "plain" }));
      expect(await numbers(catalog, { q: "öSTER" })).toEqual([1]);
      expect(await numbers(catalog, { q: "%_d" })).toEqual([1]);
      expect(await numbers(catalog, { q: "'QUOTES'" })).toEqual([1]);
      expect(await numbers(catalog, { q: "praha long long long long long long long long long long long" })).toEqual([
        2,
      ]);
      expect(await numbers(catalog, { q: "" })).toEqual([3, 2, 1]);
      expect(await numbers(catalog, { q: "_" })).toEqual([1]);
      expect(await numbers(catalog, { q: "absent" })).toEqual([]);
    });

    test("Child threads are listed under their parent only", async () => {
      const catalog = await make();
      await catalog.put(entryOf(1));
      for (const n of [2, 3]) await catalog.put(entryOf(n, { parent: parentOf(1) }));
      await catalog.put(entryOf(4, { parent: parentOf(9) }));
      expect(await numbers(catalog)).toEqual([1]);
      expect(await numbers(catalog, { parentId: threadOf(1).id })).toEqual([3, 2]);
      expect(await numbers(catalog, { parentId: threadOf(1).id, userId: "bob" })).toEqual([]);
      expect(await numbers(catalog, { parentId: "none" })).toEqual([]);
    });

    test("Pages of the thread list follow one another without a gap or a repeat, also for equal times", async () => {
      const catalog = await make();
      for (let n = 1; n <= 12; n += 1) await catalog.put(entryOf(n, { updated_at: noon + Math.floor(n / 4) }));
      const newest = await numbers(catalog);
      const oldest = await numbers(catalog, { order: "oldest" });
      expect(newest).toHaveLength(12);
      expect(oldest).toEqual(newest.toReversed());
      const lists = [1, 3, 4, 12, 50].flatMap((limit) => [
        { limit, order: "newest" as const, whole: newest },
        { limit, order: "oldest" as const, whole: oldest },
      ]);
      for (const { limit, order, whole } of lists) {
        const received: number[] = [];
        let cursor: string | undefined;
        do {
          const page: Awaited<ReturnType<Catalog["list"]>> = await catalog.list({ ...everyone, order, limit, cursor });
          expect(page.items.length).toBeLessThanOrEqual(limit);
          // A page that repeats itself must fail here and not loop forever.
          expect(received.length).toBeLessThan(whole.length);
          received.push(...page.items.map((thread) => Number(thread.id.slice(-12))));
          cursor = page.next_cursor ?? undefined;
        } while (cursor !== undefined);
        expect(received).toEqual(whole);
      }
    });

    test("The next page of a thread list begins after the last entry of the page before, although threads were updated or deleted meanwhile", async () => {
      const catalog = await make();
      for (const n of [1, 2, 3, 4]) await catalog.put(entryOf(n));
      const { next_cursor } = await catalog.list({ ...everyone, limit: 2 });
      await catalog.put(entryOf(3, { updated_at: noon + 60_000_000 }, { version: 2 }));
      await catalog.remove({ threadId: threadOf(4).id, createdAt: noon, now: noon });
      expect(await numbers(catalog, { cursor: next_cursor ?? "" })).toEqual([2, 1]);
    });

    test("A cursor of another list, or a broken one, is refused, and the error names the field", async () => {
      const catalog = await make();
      for (const n of [1, 2]) await catalog.put(entryOf(n));
      for (const n of [3, 4]) await catalog.put(entryOf(n, { parent: parentOf(1) }));
      const parentId = threadOf(1).id;
      const ofChildren = (await catalog.list({ ...everyone, parentId, limit: 1 })).next_cursor ?? "";
      const ofThreads = (await catalog.list({ ...everyone, limit: 1 })).next_cursor ?? "";
      const refused = { code: "invalid_request", refusal: { details: { field: "cursor" } } };
      await expect(catalog.list({ ...everyone, cursor: ofChildren })).rejects.toMatchObject(refused);
      await expect(catalog.list({ ...everyone, parentId, cursor: ofThreads })).rejects.toMatchObject(refused);
      await expect(catalog.list({ ...everyone, order: "oldest", cursor: ofThreads })).rejects.toMatchObject(refused);
      const place = { list: "threads", updatedAt: 1, id: "a" };
      expect(await numbers(catalog, { cursor: cursorOf(place) })).toEqual([]);
      const broken = [null, 7, [], {}, { ...place, more: 1 }, { ...place, updatedAt: "1" }, { ...place, id: "" }];
      for (const cursor of ["", "%%%", "e30", "gA", ...broken.map(cursorOf)]) {
        await expect(catalog.list({ ...everyone, cursor })).rejects.toMatchObject(refused);
      }
    });

    test("An arbitrary text as a cursor is refused with invalid_request", async () => {
      const catalog = await make();
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: "binary" }), async (cursor) => {
          await expect(catalog.list({ ...everyone, cursor })).rejects.toMatchObject({ code: "invalid_request" });
        }),
      );
    });
  });
}
