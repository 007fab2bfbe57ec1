// Lists of threads that the server answers with short and empty pages, because few threads of the deployment match.

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ThreadholdClient } from "#client/index.ts";
import type { Thread, ThreadFilter } from "#client/index.ts";

import { ManualTime } from "../http/support/manual-timers.ts";
import { FetchedServer } from "./support/fetched-server.ts";
import { ManualPresence } from "./support/open-requests.ts";
import { threadOf } from "./support/records.ts";

let server: FetchedServer;
let client: ThreadholdClient;
let time: ManualTime;
/** The threads in the catalog. */
let stored: Thread[];
let leave = (): void => undefined;

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a list of which few threads of the deployment match", () => {
  const walk = 2;

  /** A server that looks at two threads of the deployment in a request. */
  beforeEach(() => {
    [server, time] = [new FetchedServer(), new ManualTime()];
    server.answers["GET /api/threads"] = ({ query }) => {
      const sorted = stored.toSorted((one, other) => other.updated_at - one.updated_at);
      const from = Number(query.get("cursor") ?? 0);
      const observed = sorted.slice(from, from + walk);
      const matching = observed.filter(({ tags }) => tags.includes("x")).slice(0, Number(query.get("limit") ?? 50));
      return { threads: matching, next_cursor: from + walk < sorted.length ? String(from + walk) : null };
    };
    const options = { timers: time, presence: new ManualPresence(), random: () => 0.5, WebSocket: null };
    client = new ThreadholdClient({ url: "http://localhost", fetch: server.fetch, ...options });
  });
  afterEach(() => {
    leave();
    client.close();
  });

  const asks = (): number => server.requests.filter((request) => /^GET \/api\/threads(\?|$)/.test(request)).length;

  /** A list that is followed. */
  async function shown(filter: ThreadFilter) {
    const list = client.threads.follow(filter, { everyMs: 1000 });
    let changes = 0;
    leave = list.subscribe(() => (changes += 1));
    await settled();
    return { list, ids: () => list.state.threads.map(({ id }) => id), changes: () => changes };
  }

  const fill = (count: number, matching: readonly number[]): void => {
    stored = Array.from({ length: count }, (_, at) =>
      threadOf({ id: `t${at}`, updated_at: 1000 - at, tags: matching.includes(at) ? ["x"] : [] }),
    );
  };

  it("LIST2 A thread list follows the cursors of short and empty pages until it is full, and says whether more may match", async () => {
    fill(12, [4, 7, 11]);
    const { list, ids } = await shown({ tag: "x", limit: 2 });
    expect([ids(), list.state.hasMore, asks()]).toEqual([["t4", "t7"], true, 4]);
    leave();
    const all = await shown({ tag: "x" });
    expect([all.ids(), all.list.state.hasMore, asks()]).toEqual([["t4", "t7", "t11"], false, 10]);
  });

  it("LIST2 A thread list that found no thread in ten requests is not shown as complete, and `loadMore` continues the search", async () => {
    fill(60, [25, 45]);
    const { list, ids, changes } = await shown({ tag: "x" });
    expect([ids(), list.state.loading, list.state.hasMore, asks()]).toEqual([[], false, true, 10]);
    const before = changes();
    list.loadMore();
    expect(list.state.loading).toBe(true);
    await settled();
    expect([ids(), list.state.loading, list.state.hasMore, asks()]).toEqual([["t25"], false, true, 30]);
    expect(changes()).toBe(before + 2);
    list.loadMore();
    await settled();
    expect([ids(), list.state.hasMore]).toEqual([["t25", "t45"], false]);
    const sent = asks();
    list.loadMore();
    await settled();
    expect(asks()).toBe(sent);
  });

  it("LIST2 A thread list that needs several requests sends no more requests in a time than one that needs one", async () => {
    fill(20, [19]);
    await shown({ tag: "x" });
    expect(asks()).toBe(10);
    for (const [milliseconds, requests] of [
      [9999, 10],
      [1, 20],
    ] as const) {
      time.advance(milliseconds);
      await settled();
      expect(asks()).toBe(requests);
    }
  });
});
