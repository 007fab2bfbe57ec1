// The list of the threads that wait for a person, as a client keeps it current.

import { afterEach, beforeEach, expect, it } from "vitest";

import { ThreadholdClient } from "#client/index.ts";
import type { Thread, ThreadFilter } from "#client/index.ts";

import { ManualTime } from "../http/support/manual-timers.ts";
import { FetchedServer } from "./support/fetched-server.ts";
import { ManualPresence } from "./support/open-requests.ts";
import { threadOf } from "./support/records.ts";

let server: FetchedServer;
let client: ThreadholdClient;
/** The threads in the catalog. */
let stored: Thread[];
let leave = (): void => undefined;

const waits: Pick<Thread, "status" | "pending_tool_calls"> = {
  status: "awaiting_tool_execution",
  pending_tool_calls: [{ id: "call", name: "pay", kind: "approval", deadline: null }],
};
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  server = new FetchedServer();
  server.feeds = true;
  stored = [];
  server.answers["GET /api/threads"] = ({ query }) => {
    const threads = stored.filter((one) => query.get("waiting") !== "true" || one.pending_tool_calls.length > 0);
    return { threads: threads.toSorted((one, other) => one.updated_at - other.updated_at), next_cursor: null };
  };
  const options = { timers: new ManualTime(), presence: new ManualPresence(), WebSocket: null };
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

/** A list whose feed has begun. */
async function shown(filter: ThreadFilter) {
  const list = client.threads.follow(filter);
  leave = list.subscribe(() => undefined);
  await settled();
  server.word({ type: "feed_start", user_id: "anna" }, "");
  await settled();
  return { list, ids: () => list.state.threads.map(({ id }) => id) };
}

const updated = async (one: Thread): Promise<void> => {
  server.word({ type: "thread_updated", thread: one });
  await settled();
};

it("INBOX1 The list of waiting threads gains a thread that begins to wait, loses one that continues or is deleted, and begins with the oldest", async () => {
  stored = [thread("a", 10, waits), thread("b", 20)];
  const { ids } = await shown({ waiting: true, order: "oldest" });
  expect(ids()).toEqual(["a"]);
  await updated(thread("b", 30, waits));
  expect(ids()).toEqual(["a", "b"]);
  await updated(thread("a", 40, { status: "running" }));
  expect(ids()).toEqual(["b"]);
  server.word({ type: "thread_deleted", thread_id: "b" });
  await settled();
  expect(ids()).toEqual([]);
});

it("INBOX1 A thread that the feed reported as waiting stays in the list although the catalog does not list it yet", async () => {
  const { list, ids } = await shown({ waiting: true });
  await updated(thread("a", 10, waits));
  list.refresh();
  await settled();
  expect(ids()).toEqual(["a"]);
  stored = [thread("a", 10, waits)];
  list.refresh();
  await settled();
  expect(ids()).toEqual(["a"]);
  await updated(thread("a", 20));
  stored = [];
  list.refresh();
  await settled();
  expect(ids()).toEqual([]);
});
