// A list of threads that is kept up to date: by feed messages, by responses, and by repeated requests.

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ThreadholdClient } from "#client/index.ts";
import type { Thread, ThreadFilter, ThreadList } from "#client/index.ts";
import { matchesFilter, placeThread } from "#client/lists/place-thread.ts";

import { ManualTime } from "../http/support/manual-timers.ts";
import { FetchedServer } from "./support/fetched-server.ts";
import { ManualPresence } from "./support/open-requests.ts";
import { threadOf } from "./support/records.ts";

let server: FetchedServer;
let client: ThreadholdClient;
let time: ManualTime;
let presence: ManualPresence;
/** The threads in the catalog. */
let stored: Thread[];
let leave = (): void => undefined;

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const asks = (): number => server.requests.filter((request) => /^GET \/api\/threads(\?|$)/.test(request)).length;

beforeEach(() => {
  [server, time, presence] = [new FetchedServer(), new ManualTime(), new ManualPresence()];
  server.feeds = true;
  stored = [];
  server.answers["GET /api/threads"] = ({ query }) => {
    const limit = Number(query.get("limit") ?? 50);
    const status = query.get("status");
    const tag = query.get("tag");
    const fitting = stored
      .filter((thread) => (status === null || thread.status === status) && (tag === null || thread.tags.includes(tag)))
      .toSorted((one, other) => other.updated_at - one.updated_at);
    return { threads: fitting.slice(0, limit), next_cursor: fitting.length > limit ? "more" : null };
  };
  const options = { timers: time, presence, random: () => 0.5, WebSocket: null };
  client = new ThreadholdClient({ url: "http://localhost", fetch: server.fetch, ...options });
});
afterEach(() => {
  leave();
  client.close();
});

/** A thread at a moment; `at` is its last activity and its last event number. */
function thread(id: string, at: number, fields: Partial<Thread> = {}): Thread {
  return threadOf({ id, title: id, user_id: "anna", updated_at: at, last_seq: at, ...fields });
}

/** A list that is shown; its feed has begun unless `begins` is false. */
async function shown(filter: ThreadFilter = {}, { begins = true, owner = "anna" as string | null } = {}) {
  const list = client.threads.follow(filter, { everyMs: 1000 });
  let changes = 0;
  leave = list.subscribe(() => (changes += 1));
  await settled();
  const query = filter.user_id === undefined ? "" : `?user_id=${filter.user_id}`;
  if (begins) server.word({ type: "feed_start", user_id: owner }, query);
  await settled();
  return { list, ids: () => list.state.threads.map(({ id }) => id), changes: () => changes };
}

const updated = async (one: Thread): Promise<void> => {
  server.word({ type: "thread_updated", thread: one });
  await settled();
};
const statusIn = (list: ThreadList, id: string) => list.state.threads.find((one) => one.id === id)?.status;

describe("a list", () => {
  it("A thread list is updated by feed messages alone, keeps its order, and is not requested again while its feed is connected", async () => {
    stored = [thread("a", 10), thread("b", 20)];
    const { list, ids, changes } = await shown();
    expect([ids(), asks()]).toEqual([["b", "a"], 2]);
    const b = list.state.threads[0];
    await updated(thread("a", 30, { status: "running" }));
    expect([ids(), statusIn(list, "a")]).toEqual([["a", "b"], "running"]);
    expect(list.state.threads[1]).toBe(b);
    server.word({ type: "thread_created", thread: thread("c", 40) });
    await settled();
    expect(ids()).toEqual(["c", "a", "b"]);
    server.word({ type: "thread_deleted", thread_id: "b" });
    await settled();
    const before = [list.state, changes()];
    // A message that is repeated, older than the known state, or about another kind of thread changes nothing.
    await updated(thread("c", 40));
    await updated(thread("a", 5, { status: "error" }));
    server.word({ type: "something_new" } as never);
    server.word({ type: "thread_deleted", thread_id: "b" });
    await settled();
    expect([list.state, changes()]).toEqual(before);
    expect(list.state).toBe(before[0]);
    time.advance(60_000);
    await settled();
    expect([ids(), asks()]).toEqual([["c", "a"], 2]);
  });

  it("A thread list notifies its listeners when its first response arrives, and not before with an empty list", async () => {
    stored = [thread("a", 10)];
    const list = client.threads.follow();
    const observed: unknown[] = [];
    leave = list.subscribe(() => observed.push([list.state.loading, list.state.threads.length]));
    await settled();
    expect(observed).toEqual([[false, 1]]);
  });

  it("A thread that was deleted and created again is listed in its current state, although its event numbers begin again", async () => {
    stored = [thread("a", 50)];
    const { list } = await shown();
    server.word({ type: "thread_deleted", thread_id: "a" });
    server.word({ type: "thread_created", thread: thread("a", 3, { title: "new" }) });
    await settled();
    expect(list.state.threads).toMatchObject([{ title: "new" }]);
    server.word({ type: "thread_created", thread: thread("a", 2, { title: "again" }) });
    await settled();
    expect(list.state.threads).toMatchObject([{ title: "again" }]);
  });

  it("A thread list is requested again each time its feed begins, so that it has the changes that were missed", async () => {
    stored = [thread("a", 10), thread("b", 20)];
    const { list, ids } = await shown();
    await updated(thread("a", 30, { status: "running" }));
    stored = [thread("a", 31), thread("c", 40)];
    server.cut("feed ");
    await settled();
    // Without the feed the list is requested every few seconds, and shows its last content meanwhile.
    expect(ids()).toEqual(["a", "b"]);
    time.advance(1000);
    await settled();
    expect(ids()).toEqual(["c", "a"]);
    expect(statusIn(list, "a")).toBe("idle");
    stored = [thread("d", 50)];
    server.word({ type: "feed_start", user_id: "anna" });
    await settled();
    expect(ids()).toEqual(["d"]);
    const before = asks();
    time.advance(60_000);
    expect(asks()).toBe(before);
  });

  it("If a thread feed breaks each time soon after it began, the client doubles the wait before each reconnect, and requests the list once when the feed begins and once a second until then", async () => {
    await shown();
    const rounds: string[] = [];
    const feeds = (): number => server.requests.filter((request) => request.includes("/threads/events")).length;
    for (let round = 0; round < 4; round++) {
      const [before, requested] = [feeds(), asks()];
      server.cut("feed ");
      await settled();
      let waited = 0;
      for (; feeds() === before; waited += 50) {
        time.advance(50);
        await settled();
      }
      server.word({ type: "feed_start", user_id: "anna" });
      await updated(thread("a", round, { status: "running" }));
      rounds.push(`${waited} ms: ${asks() - requested}`);
    }
    expect(rounds).toEqual(["250 ms: 1", "500 ms: 1", "1000 ms: 2", "2000 ms: 3"]);
  });

  it("A response for a thread list does not undo a feed message that is newer than the response", async () => {
    stored = [thread("a", 10), thread("b", 20)];
    const { list, ids } = await shown();
    const answers: (() => void)[] = [];
    const answer = server.answers["GET /api/threads"];
    server.answers["GET /api/threads"] = (request) => {
      const now = answer?.(request);
      return new Promise((resolve) => answers.push(() => resolve(now)));
    };
    list.refresh();
    await settled();
    await updated(thread("a", 30, { status: "awaiting_tool_execution" }));
    server.word({ type: "thread_deleted", thread_id: "b" });
    server.word({ type: "thread_created", thread: thread("c", 40) });
    await settled();
    answers.shift()?.();
    await settled();
    expect([ids(), statusIn(list, "a")]).toEqual([["c", "a"], "awaiting_tool_execution"]);
    // A response to a request after those messages counts, except for runs that the catalog does not know yet.
    await updated(thread("c", 41, { status: "running" }));
    list.refresh();
    await settled();
    answers.shift()?.();
    await settled();
    expect([ids(), statusIn(list, "c")]).toEqual([["c", "a", "b"], "running"]);
  });

  it("A thread list applies its filter to feed messages", async () => {
    stored = [thread("a", 10, { tags: ["x"] })];
    const { ids } = await shown({ tag: "x", status: "idle", agent_id: "one" }, { begins: true });
    const fitting = { tags: ["x"], agent_id: "two", origin_agent_id: "one" };
    await updated(thread("b", 20, fitting));
    expect(ids()).toEqual(["b", "a"]);
    await updated(thread("b", 21, { ...fitting, status: "running" }));
    expect(ids()).toEqual(["a"]);
    await updated(thread("b", 22, fitting));
    await updated(thread("a", 23, { tags: [] }));
    await updated(thread("c", 24, { ...fitting, origin_agent_id: "two" }));
    expect(ids()).toEqual(["b"]);
    const { user_id: _, ...rest } = thread("u", 1);
    expect(matchesFilter({ ...rest, user_id: "anna" }, { user_id: "ben" })).toBe(false);
  });

  it("A thread list with a search is requested again shortly after a feed message if only the server can decide whether the thread matches", async () => {
    stored = [thread("Blue", 10)];
    const { ids } = await shown({ q: "bLu" });
    const before = asks();
    await updated(thread("more blue", 20));
    expect([ids(), asks()]).toEqual([["more blue", "Blue"], before]);
    await updated(thread("green", 30, { status: "running" }));
    expect([ids(), time.pending > 0]).toEqual([["more blue", "Blue"], true]);
    time.advance(1000);
    await settled();
    expect(asks()).toBe(before);
    for (const at of [31, 32, 33]) await updated(thread("green", at));
    time.advance(999);
    expect(asks()).toBe(before);
    stored = [thread("Blue", 10), thread("more blue", 20), thread("green", 33)];
    time.advance(1);
    await settled();
    expect([ids(), asks()]).toEqual([["green", "more blue", "Blue"], before + 1]);
  });

  it("If a thread is deleted from a full page of a thread list, the client requests the list again to fill the page", async () => {
    stored = [1, 2, 3].map((at) => thread(`t${String(at)}`, at));
    const { ids } = await shown({ limit: 2 });
    const before = asks();
    await updated(thread("t1", 10));
    expect([ids(), asks()]).toEqual([["t1", "t3"], before]);
    stored = [thread("t2", 2), thread("t3", 3)];
    server.word({ type: "thread_deleted", thread_id: "t1" });
    await settled();
    expect(ids()).toEqual(["t3"]);
    time.advance(1000);
    await settled();
    expect([ids(), asks()]).toEqual([["t3", "t2"], before + 1]);
  });

  it("A thread list without a feed is requested every few seconds while the page is visible and online", async () => {
    server.feeds = false;
    stored = [thread("a", 10)];
    await shown({}, { begins: false });
    expect(asks()).toBe(1);
    time.advance(1000);
    await settled();
    expect(asks()).toBe(2);
    presence.visible = false;
    time.advance(5000);
    await settled();
    expect(asks()).toBe(2);
    presence.tell("visible");
    await settled();
    expect(asks()).toBe(3);
    presence.tell("offline");
    time.advance(5000);
    await settled();
    expect(asks()).toBe(3);
    presence.tell("online");
    await settled();
    expect(asks()).toBe(4);
  });

  it("A thread list with threads of another user is requested every few seconds, and so is a list of child threads", async () => {
    stored = [thread("a", 10, { user_id: "ben" }), thread("b", 20)];
    await shown();
    const before = asks();
    time.advance(1000);
    await settled();
    expect(asks()).toBe(before + 1);
    leave();
    const opened = server.requests.filter((request) => request.includes("/threads/events")).length;
    const list = client.threads.follow({ parent_id: "a" }, { everyMs: 1000 });
    leave = list.subscribe(() => undefined);
    await settled();
    expect(server.requests.filter((request) => request.includes("/threads/events"))).toHaveLength(opened);
    time.advance(1000);
    await settled();
    expect(server.requests.filter((request) => request.includes("parent_id=a"))).toHaveLength(2);
  });

  it("An administrator's list of all users is requested every few seconds, and the list of one user only when its feed begins", async () => {
    stored = [thread("a", 10, { user_id: null })];
    const { ids } = await shown({}, { owner: null });
    const before = asks();
    stored = [thread("b", 20)];
    time.advance(1000);
    await settled();
    expect([ids(), asks()]).toEqual([["b"], before + 1]);
    leave();
    await shown({ user_id: "anna" });
    const ofUser = asks();
    time.advance(60_000);
    await settled();
    expect(asks()).toBe(ofUser);
  });

  it("If the feed of a thread list begins again while the page is hidden, the list is requested once when the page becomes visible", async () => {
    stored = [thread("a", 10)];
    const { ids } = await shown();
    const before = asks();
    presence.visible = false;
    stored = [thread("b", 20)];
    server.word({ type: "feed_start", user_id: "anna" });
    await settled();
    expect([ids(), asks()]).toEqual([["a"], before]);
    presence.tell("visible");
    await settled();
    expect([ids(), asks()]).toEqual([["b"], before + 1]);
    presence.tell("visible");
    await settled();
    expect(asks()).toBe(before + 1);
  });

  it("Thread lists of the same owner share one feed that is open while one of them is shown, and a closed client opens no feed", async () => {
    stored = [thread("a", 10)];
    const feeds = (): string[] => server.following;
    await shown();
    const another = client.threads.follow({ status: "idle" });
    const other = client.threads.follow({ user_id: "anna" });
    const leaves = [another.subscribe(() => undefined), other.subscribe(() => undefined)];
    await settled();
    expect(feeds()).toEqual(["feed ", "feed ?user_id=anna"]);
    // A list that is opened later is requested, and includes the feed messages that were received before.
    await updated(thread("a", 30, { status: "running" }));
    const late = client.threads.follow({ status: "running" });
    leaves.push(late.subscribe(() => undefined));
    await settled();
    expect(late.state.threads.map(({ id }) => id)).toEqual(["a"]);
    for (const end of leaves) end();
    for (const end of leaves) end();
    time.advance(250);
    expect(feeds()).toEqual(["feed "]);
    leave();
    time.advance(250);
    expect(feeds()).toEqual([]);
    client.close();
    const after = client.threads.follow();
    leave = after.subscribe(() => undefined);
    await settled();
    expect([after.state.loading, feeds()]).toEqual([false, []]);
  });

  it("A closed client sends no request by itself, with a feed or without", async () => {
    await shown();
    const call = client.threads.follow({ parent_id: "other" }, { everyMs: 1000 });
    const end = call.subscribe(() => undefined);
    await settled();
    client.close();
    const before = asks();
    for (const change of ["offline", "online", "visible"] as const) presence.tell(change);
    time.advance(60_000);
    await settled();
    expect([asks(), time.pending]).toEqual([before, 0]);
    call.refresh();
    await settled();
    expect([asks(), time.pending]).toEqual([before + 1, 0]);
    end();
  });

  it("If a request for a thread list fails, the list keeps its threads, has the error, and is requested again later, also if feed messages arrive meanwhile", async () => {
    stored = [thread("a", 10)];
    const { list, ids } = await shown();
    const answer = server.answers["GET /api/threads"];
    server.answers["GET /api/threads"] = () => ({ threads: null });
    list.refresh();
    await settled();
    expect([ids(), list.state.error !== null]).toEqual([["a"], true]);
    server.answers["GET /api/threads"] = answer as never;
    await updated(thread("b", 20));
    expect([ids(), list.state.error !== null]).toEqual([["b", "a"], true]);
    stored = [thread("a", 10), thread("b", 20)];
    time.advance(2000);
    await settled();
    expect([ids(), list.state.error]).toEqual([["b", "a"], null]);
  });
});

it("After any feed messages a thread list contains each matching thread once, in the order of the list", () => {
  const word = fc.record({
    id: fc.constantFrom("a", "b", "c", "d"),
    at: fc.nat(9),
    status: fc.constantFrom("idle" as const, "running" as const),
  });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), fc.constantFrom("newest", "oldest"), (words, order) => {
      const filter = { status: "idle" as const, order };
      let list: readonly Thread[] = [];
      const last = new Map<string, Thread>();
      for (const { id, at, status } of words) {
        const one = thread(id, at, { status });
        last.set(id, one);
        list = placeThread(list, one, filter);
      }
      const expected = [...last.values()]
        .filter(({ status }) => status === "idle")
        .toSorted((one, other) => other.updated_at - one.updated_at || (one.id < other.id ? 1 : -1));
      expect(list).toEqual(order === "oldest" ? expected.toReversed() : expected);
    }),
  );
});
