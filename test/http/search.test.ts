// The search over an owner's threads: which objects it asks, how many at once, and how it reports those that fail.

import { describe, expect, it } from "vitest";

import type { ThreadHits } from "#contract/search-route.ts";
import { deferred } from "#lib/deferred.ts";

import { waitFor } from "../thread/team-driver.ts";
import type { FakeThread } from "./support/fake-thread.ts";
import { adminToken, annaToken, berndToken, refusalOf, testApp } from "./support/test-app.ts";
import type { Ask, TestApp } from "./support/test-app.ts";

interface Found {
  threads: ThreadHits[];
  next_cursor: string | null;
}

const hit = { message_id: "m", position: "p", created_at: 1, role: "user", excerpt: "a word", start: 2, length: 4 };
const hits = (): Response => Response.json({ hits: [hit], next_cursor: null });
const nothing = (): Response => Response.json({ hits: [], next_cursor: null });

/** Lists threads of an owner, the newest first, each with its object. */
async function threadsOf(app: TestApp, owner: string, count: number): Promise<{ id: string; object: FakeThread }[]> {
  const seeded = Array.from({ length: count }, () => app.seed(owner));
  for (const [index, { object }] of seeded.entries()) {
    const { thread } = object;
    if (thread === null) throw new Error("not seeded");
    object.onSearch = hits;
    await app.catalog.put({ thread: { ...thread, updated_at: 1000 - index }, lastMessage: null, version: 1 });
  }
  return seeded;
}

const search = (app: TestApp, query = "", options: Ask = {}) => app.ask(`/api/messages-search?q=word${query}`, options);
const ids = ({ threads }: Found): string[] => threads.map(({ thread }) => thread.id);

describe("a search over threads", () => {
  it("SEARCH4 A page of a search over threads searches fifty threads, the newest first, and its cursor continues with the others", async () => {
    const app = testApp();
    const seeded = await threadsOf(app, "anna", 60);
    const first = await (await search(app)).json<Found>();
    console.info(`SEARCH4 objects asked by a page of a search over 60 threads: ${String(app.reached.length)}`);
    expect(app.reached).toHaveLength(50);
    expect(ids(first)).toEqual(seeded.slice(0, 50).map(({ id }) => id));
    expect(first.threads[0]).toMatchObject({ hits: [hit], next_cursor: null, error: null });
    const second = await (await search(app, `&cursor=${first.next_cursor ?? ""}`)).json<Found>();
    expect([ids(second), second.next_cursor]).toEqual([seeded.slice(50).map(({ id }) => id), null]);
    expect(new Set(app.reached).size).toBe(60);
  });

  it("SEARCH4 A search over threads asks at most eight threads at once", async () => {
    const app = testApp();
    const seeded = await threadsOf(app, "anna", 20);
    const go = deferred<null>();
    let [requested, most] = [0, 0];
    for (const { object } of seeded) {
      object.onSearch = async () => {
        most = Math.max(most, (requested += 1));
        await go.promise;
        requested -= 1;
        return hits();
      };
    }
    const searching = search(app);
    await waitFor(() => requested === 8);
    go.resolve(null);
    expect(ids(await (await searching).json<Found>())).toHaveLength(20);
    expect(most).toBe(8);
  });

  it("SEARCH4 A search over threads names a thread that fails, hangs or is busy, returns the results of the others, and leaves out threads without a match", async () => {
    const app = testApp();
    const [ok, hangs, broken, reset, busy, gone, none, more] = await threadsOf(app, "anna", 8);
    if (!ok || !hangs || !broken || !reset || !busy || !gone || !none || !more) throw new Error("too few");
    hangs.object.onSearch = () => new Promise(() => {});
    broken.object.onSearch = () => Promise.reject(new Error("a secret cause"));
    const overloaded = () => Object.assign(new Error("overloaded"), { overloaded: true });
    reset.object.onSearch = () => Promise.reject(overloaded());
    const refusal = { error: { code: "rate_limited", message: "2 searches of this thread are under way." } };
    busy.object.onSearch = () => Response.json(refusal, { status: 429, headers: { "retry-after": "2" } });
    gone.object.thread = null;
    none.object.onSearch = nothing;
    more.object.onSearch = () => Response.json({ hits: [], next_cursor: "further" });
    const searching = search(app);
    await waitFor(() => more.object.calls.length > 0 && app.time.pending === 1);
    app.time.advance(5000);
    const { threads } = await (await searching).json<Found>();
    expect(threads.map(({ thread, error, next_cursor }) => [thread.id, error?.code ?? next_cursor])).toEqual([
      [ok.id, null],
      [hangs.id, "unavailable"],
      [broken.id, "internal"],
      [reset.id, "unavailable"],
      [busy.id, "rate_limited"],
      [more.id, "further"],
    ]);
    expect(JSON.stringify(threads)).not.toContain("secret");
    expect(app.log.join("\n")).toContain("a secret cause");
  });

  it("SEARCH4 A search over threads asks only the threads that the list shows the caller, with the list's filters", async () => {
    const app = testApp();
    const [anna] = await threadsOf(app, "anna", 1);
    const [bernd] = await threadsOf(app, "bernd", 1);
    expect(ids(await (await search(app, "", { token: annaToken })).json<Found>())).toEqual([anna?.id]);
    expect(app.reached).toEqual([anna?.id]);
    expect(ids(await (await search(app, "", { token: berndToken })).json<Found>())).toEqual([bernd?.id]);
    expect(ids(await (await search(app, "", { token: adminToken })).json<Found>())).toHaveLength(2);
    expect(ids(await (await search(app, "&user_id=bernd", { token: adminToken })).json<Found>())).toEqual([bernd?.id]);
    expect(ids(await (await search(app, "&tag=none")).json<Found>())).toEqual([]);
    expect(await refusalOf(await search(app, "&user_id=bernd"))).toMatchObject({ status: 403, code: "forbidden" });
    expect((await search(app, "", { token: null })).status).toBe(401);
    const foreign = await app.ask(`/api/threads/${bernd?.id ?? ""}/messages-search?q=word`);
    expect(await refusalOf(foreign)).toMatchObject({ status: 404, code: "thread_not_found" });
  });

  it("SEARCH4 A search over threads refuses an invalid query with an error that names the field, and asks no thread", async () => {
    const app = testApp();
    await threadsOf(app, "anna", 1);
    for (const [query, field] of [
      ["q=", "q"],
      [`q=${"x".repeat(201)}`, "q"],
      ["", "q"],
      ["q=x&limit=51", "limit"],
      ["q=x&branch=y", "branch"],
    ]) {
      const refused = await refusalOf(await app.ask(`/api/messages-search?${query ?? ""}`));
      expect(refused).toEqual({ status: 400, code: "invalid_request", fields: [field] });
    }
    expect((await search(app, "&cursor=nonsense")).status).toBe(400);
    expect(app.reached).toEqual([]);
  });
});
