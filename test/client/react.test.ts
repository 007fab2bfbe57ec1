// The hooks, rendered by React itself: what is shown, and how often it is rendered.

import { createElement as element, Fragment, memo, StrictMode } from "react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ThreadholdClient } from "#client/index.ts";
import type { EventDraft, ThreadEvent } from "#contract/event.ts";
import { ThreadholdProvider, useThread, useThreads, useThreadState } from "#react/index.ts";
import type { UsedThread, UsedThreads } from "#react/index.ts";

import { spoken } from "../contract/support/story.ts";
import { ManualTime } from "../http/support/manual-timers.ts";
import { FetchedServer } from "./support/fetched-server.ts";
import { ManualPresence } from "./support/open-requests.ts";
import { ManualFrames, openPage } from "./support/page.ts";
import type { Page } from "./support/page.ts";
import { threadId, threadOf } from "./support/records.ts";

let page: Page;
let server: FetchedServer;
let client: ThreadholdClient;
let frames: ManualFrames;
let time: ManualTime;
let presence: ManualPresence;
let seq = 0;

/** Events of the thread, numbered after the earlier ones. */
function numbered(drafts: readonly EventDraft[], id = threadId): ThreadEvent[] {
  return drafts.map((draft) => ({ ...draft, seq: (seq += 1), thread_id: id, at: 1, run_id: "run" }) as ThreadEvent);
}

function snapshot(id = threadId, title: string | null = null): EventDraft {
  return { type: "snapshot", thread: threadOf({ id, title }), messages: [], partial: [] };
}

/** Sends events and waits until the client has processed them. */
async function tell(drafts: readonly EventDraft[], id = threadId): Promise<void> {
  const events = numbered(drafts, id);
  const last = events.at(-1)?.seq ?? 0;
  const came = new Promise<void>((resolve) => {
    const handle = client.thread(id);
    const look = (): void => {
      if (handle.state.last_seq !== last) return;
      queueMicrotask(() => leave());
      resolve();
    };
    const leave = handle.subscribe(look);
  });
  for (const event of events) server.tell(event);
  await came;
}

const paint = (): Promise<void> => page.act(() => frames.paint());

function show(node: ReactNode): Promise<void> {
  const props = { client, frame: frames.frame };
  return page.render(element(ThreadholdProvider, props, node));
}

beforeEach(async () => {
  seq = 0;
  [server, frames, time, presence] = [new FetchedServer(), new ManualFrames(), new ManualTime(), new ManualPresence()];
  const url = "http://localhost";
  client = new ThreadholdClient({ url, fetch: server.fetch, WebSocket: null, timers: time, presence });
  page = await openPage();
});
afterEach(async () => {
  await page.close();
  client.close();
});

/** A component that shows a part of a thread and counts its renders. */
function counting(what: (thread: UsedThread) => ReactNode) {
  let drawn = 0;
  const observed: UsedThread[] = [];
  const Shown = memo(function Shown({ id }: { id: string | null }): ReactNode {
    drawn += 1;
    const thread = useThread(id);
    observed.push(thread);
    return what(thread);
  });
  return { Shown, drawn: () => drawn, observed };
}

describe("useThread", () => {
  it("A component renders an answer of a thousand deltas at most once a frame", async () => {
    const { Shown, drawn } = counting(({ messages }) => messages.map(({ content }) => content).join("|"));
    await show(element(Shown, { id: threadId }));
    await server.came("/events");
    await tell([snapshot()]);
    await paint();
    const before = drawn();
    const text = "x".repeat(1000);
    const drafts = spoken(
      1,
      text,
      Array.from({ length: 1000 }, (_, at) => at),
    );
    expect(drafts.length).toBeGreaterThan(1000);
    const third = Math.floor(drafts.length / 3);
    for (const part of [drafts.slice(0, third), drafts.slice(third, 2 * third), drafts.slice(2 * third)]) {
      await page.act(() => tell(part));
      await paint();
    }
    expect(page.text()).toBe(text);
    expect(drawn() - before).toBe(3);
  });

  it("A component renders again when something that it has read changes, and only then", async () => {
    const title = counting(({ thread }) => thread?.title ?? "untitled");
    const words = counting(({ messages }) => String(messages.length));
    const state = counting(({ connection }) => connection.state);
    let lengths = 0;
    function Length(): ReactNode {
      lengths += 1;
      return useThreadState(threadId, countMessages);
    }
    const all = [title.Shown, words.Shown, state.Shown].map((Shown, key) => element(Shown, { id: threadId, key }));
    await show(element(Fragment, null, ...all, element(Length)));
    await server.came("/events");
    await page.act(() => tell([snapshot(threadId, "A title")]));
    await paint();
    expect(page.text()).toBe("A title0live0");
    const before = [title.drawn(), words.drawn(), state.drawn(), lengths];
    await page.act(() => tell(spoken(1, "Hello", [1, 2, 3]).slice(0, 3)));
    await paint();
    await page.act(() => tell(spoken(1, "Hello", [1, 2, 3]).slice(3)));
    await paint();
    await page.act(() => tell([{ type: "queue_changed", queued: [] }]));
    await paint();
    expect(page.text()).toBe("A title1live1");
    const after = [title.drawn(), words.drawn(), state.drawn(), lengths];
    expect(after.map((count, at) => count - (before[at] ?? 0))).toEqual([0, 2, 0, 1]);
  });

  it("A component with the list of waiting calls renders when that list changes, and at no other time", async () => {
    const { Shown, drawn } = counting(({ pending }) => pending.map(({ id }) => id).join(","));
    await show(element(Shown, { id: threadId }));
    await server.came("/events");
    await page.act(() => tell([snapshot()]));
    await paint();
    const before = drawn();
    const open = { id: "buy", name: "buy", kind: "approval" as const, arguments: {}, deadline: null };
    await page.act(() => tell([{ type: "awaiting_tool_execution", tool_calls: [open] }]));
    await paint();
    expect(page.text()).toBe("buy");
    await page.act(() => tell(spoken(1, "Hello", [])));
    await paint();
    const end = { type: "tool_execution_end", tool_call_id: "buy", tool_name: "buy", is_error: false } as const;
    await page.act(() => tell([{ ...end, result: { status: "success" }, duration_ms: 1 }]));
    await paint();
    expect([page.text(), drawn() - before]).toEqual(["", 2]);
  });

  it("A React hook returns the same object until something that was read changes", async () => {
    const shown = counting(({ messages }) => String(messages.length));
    await show(element(shown.Shown, { id: threadId }));
    await server.came("/events");
    await page.act(() => tell([snapshot()]));
    await paint();
    const before = shown.observed.at(-1);
    await show(element(shown.Shown, { id: threadId }));
    await page.act(() => tell([{ type: "queue_changed", queued: [] }]));
    await paint();
    expect(shown.observed.at(-1)).toBe(before);
    await page.act(() => tell(spoken(1, "Hello", [])));
    await paint();
    expect(shown.observed.at(-1)).not.toBe(before);
  });

  it("The functions send and stop of a hook stay the same objects through all events", async () => {
    const shown = counting(({ messages }) => String(messages.length));
    await show(element(shown.Shown, { id: threadId }));
    await server.came("/events");
    await page.act(() => tell([snapshot(), ...spoken(1, "Hello", [])]));
    await paint();
    const [first, last] = [shown.observed[0], shown.observed.at(-1)];
    expect(last).not.toBe(first);
    const actions = (used: UsedThread | undefined) => [
      used?.send,
      used?.stop,
      used?.approve,
      used?.decline,
      used?.answer,
    ];
    expect(actions(last)).toEqual(actions(first));
    await show(element(shown.Shown, { id: null }));
    expect(() => shown.observed.at(-1)?.send("Hello")).toThrow(/no thread yet/);
    expect(() => shown.observed.at(-1)?.approve("call")).toThrow(/no thread yet/);
  });

  it("Components that show the same thread share a subscription, another thread has its own, and a subscription without components is closed", async () => {
    const other = "3f0a0000-0000-4000-8000-000000000002";
    const { Shown } = counting(({ thread }) => thread?.id.slice(-1) ?? "-");
    const both = (id: string | null): ReactNode =>
      element(Fragment, null, element(Shown, { id, key: "one" }), element(Shown, { id, key: "two" }));
    await show(both(null));
    expect([page.text(), server.following]).toEqual(["--", []]);
    await show(both(threadId));
    await server.came("/events");
    await page.act(() => tell([snapshot()]));
    await paint();
    expect([page.text(), server.requests.length]).toEqual(["11", 1]);
    await show(both(other));
    await server.came("/events", 2);
    time.advance(250);
    expect(server.following).toEqual([other]);
    await page.act(() => tell([snapshot(other)], other));
    await paint();
    expect(page.text()).toBe("22");
    await show(null);
    time.advance(250);
    expect([server.following, frames.requested]).toEqual([[], 0]);
  });

  it("A component that is rendered twice, as in strict mode, subscribes once; one that is mounted again has its earlier state at once", async () => {
    const { Shown } = counting(({ messages, connection }) => `${messages.length} ${connection.state}`);
    const strict = element(StrictMode, null, element(Shown, { id: threadId }));
    await show(strict);
    await server.came("/events");
    await page.act(() => tell([snapshot(), ...spoken(1, "Hello", [])]));
    await paint();
    expect([page.text(), server.requests.length]).toEqual(["1 live", 1]);
    await show(null);
    time.advance(250);
    expect(server.following).toEqual([]);
    await show(strict);
    expect(page.text()).toMatch(/^1 /);
    await server.came(`after=${seq}`);
  });

  it("A React hook outside of a provider throws an error that names the provider component", async () => {
    const { Shown } = counting(() => "x");
    const quiet = console.error;
    console.error = () => undefined;
    await expect(page.render(element(Shown, { id: threadId }))).rejects.toThrow(/ThreadholdProvider/);
    console.error = quiet;
  });
});

describe("useThreads", () => {
  const observed: UsedThreads[] = [];

  function List(): ReactNode {
    const used = useThreads({ tag: "x" }, { everyMs: 1000 });
    observed.push(used);
    const { threads, loading, error } = used;
    return loading ? "loading" : (error?.message ?? threads.map(({ title }) => title).join(","));
  }

  const asks = (): number => server.requests.filter((request) => request.startsWith("GET /api/threads?")).length;
  const settled = (): Promise<void> => page.act(() => new Promise((resolve) => setImmediate(resolve)));

  it("A component with useThreads shows changes from the thread feed without requests, and the feed closes with the last such component", async () => {
    observed.length = 0;
    server.feeds = true;
    const [one, two] = ["one", "two"].map((title) => threadOf({ id: title, title, tags: ["x"], user_id: "anna" }));
    server.answers["GET /api/threads"] = () => ({ threads: [one, two], next_cursor: null });
    await show(element(Fragment, null, element(List), element(List)));
    await settled();
    server.word({ type: "feed_start", user_id: "anna" });
    await settled();
    await paint();
    expect([page.text(), asks()]).toEqual(["one,twoone,two", 2]);
    const [drawn, before] = [observed.length, observed.at(-1)];
    const changed = { ...threadOf({ id: "one", title: "first", tags: ["x"], user_id: "anna" }), last_seq: 1 };
    for (let at = 0; at < 10; at += 1) {
      server.word({ type: "thread_updated", thread: { ...changed, last_seq: at, message_count: at } });
      server.word({ type: "thread_updated", thread: threadOf({ id: `other ${String(at)}`, user_id: "anna" }) });
    }
    await settled();
    await paint();
    expect([page.text(), observed.length]).toEqual(["two,firsttwo,first", drawn + 2]);
    expect(observed.at(-1)?.threads[0]).toBe(before?.threads[1]);
    await page.act(() => time.advance(30_000));
    await settled();
    await paint();
    expect([asks(), observed.length]).toEqual([2, drawn + 2]);
    await show(null);
    time.advance(250);
    expect(server.following).toEqual([]);
  });

  it("If a thread list changes in the frame in which its last component is removed, a component that is mounted later shows the change", async () => {
    server.feeds = true;
    const one = threadOf({ id: "one", title: "one", tags: ["x"], user_id: "anna" });
    let threads = [one];
    server.answers["GET /api/threads"] = () => ({ threads, next_cursor: null });
    await show(element(List));
    await settled();
    server.word({ type: "feed_start", user_id: "anna" });
    await settled();
    await paint();
    const two = threadOf({ id: "two", title: "two", tags: ["x"], user_id: "anna", updated_at: one.updated_at + 1 });
    threads = [two, one];
    server.word({ type: "thread_created", thread: two });
    await settled();
    expect(page.text()).toBe("one");
    await show(null);
    await show(element(List));
    await settled();
    await paint();
    expect(page.text()).toBe("two,one");
  });

  it("A list component on a server without a thread feed polls the list while the page is visible, and unchanged threads stay the same objects", async () => {
    observed.length = 0;
    let titles = ["one", "two"];
    server.answers["GET /api/threads"] = () => ({
      threads: titles.map((title) => threadOf({ id: title, title })),
      next_cursor: null,
    });
    await show(element(Fragment, null, element(List), element(List)));
    expect(page.text()).toBe("loadingloading");
    await settled();
    await paint();
    expect(page.text()).toBe("one,twoone,two");
    expect(server.requests).toEqual(["GET /api/threads/events", "GET /api/threads?tag=x"]);
    const before = observed.length;
    const first = observed.at(-1);
    await page.act(() => time.advance(1000));
    await settled();
    await paint();
    expect([asks(), observed.length]).toEqual([2, before]);
    titles = ["one", "three"];
    await page.act(() => time.advance(1000));
    await settled();
    await paint();
    expect(page.text()).toBe("one,threeone,three");
    expect(observed.at(-1)?.threads[0]).toBe(first?.threads[0]);
    presence.visible = false;
    await page.act(() => time.advance(1000));
    expect(asks()).toBe(3);
    await page.act(() => presence.tell("visible"));
    expect(asks()).toBe(4);
    await settled();
    await page.act(() => observed.at(-1)?.refresh());
    expect(asks()).toBe(5);
    await settled();
    await show(null);
    await page.act(() => time.advance(10_000));
    expect(asks()).toBe(5);
  });

  it("LIST2 A component with useThreads learns that a list without threads may have more, and continues the search", async () => {
    server.answers["GET /api/threads"] = ({ query }) => {
      const from = Number(query.get("cursor") ?? 0);
      const threads = from === 12 ? [threadOf({ title: "one" })] : [];
      return { threads, next_cursor: from === 12 ? null : String(from + 1) };
    };
    await show(element(List));
    await settled();
    await paint();
    expect(observed.at(-1)).toMatchObject({ threads: [], loading: false, hasMore: true });
    await page.act(() => observed.at(-1)?.loadMore());
    await settled();
    await paint();
    expect(observed.at(-1)).toMatchObject({ threads: [{ title: "one" }], loading: false, hasMore: false });
  });

  it("If a request of useThreads fails, the component keeps its list, shows the error, and requests the list again later", async () => {
    let fails = false;
    server.answers["GET /api/threads"] = () => {
      if (fails) return { threads: null };
      return { threads: [threadOf({ title: "one" })], next_cursor: null };
    };
    await show(element(List));
    await settled();
    await paint();
    fails = true;
    await page.act(() => time.advance(1000));
    await settled();
    await paint();
    expect(page.text()).not.toBe("one");
    expect(observed.at(-1)?.threads).toHaveLength(1);
    fails = false;
    await page.act(() => time.advance(1999));
    expect(asks()).toBe(2);
    await page.act(() => time.advance(1));
    await settled();
    await paint();
    expect(page.text()).toBe("one");
  });
});

function countMessages({ messages }: { messages: readonly unknown[] }): number {
  return messages.length;
}
