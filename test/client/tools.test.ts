// Remote tools as functions: which calls run them, once, with which arguments, and what happens to their results.

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ThreadholdClient } from "#client/index.ts";
import type { ClientCall } from "#client/index.ts";
import type { AwaitedCall, EventDraft, ThreadEvent } from "#contract/event.ts";
import { zeroUsage } from "#contract/usage.ts";

import { messageAt } from "../contract/support/story.ts";
import { ManualTime } from "../http/support/manual-timers.ts";
import { FetchedServer } from "./support/fetched-server.ts";
import { runOf, threadId, threadOf } from "./support/records.ts";

let server: FetchedServer;
let time: ManualTime;
let client: ThreadholdClient;
let posted: unknown[];
let seq = 0;
let leave = (): void => undefined;

const path = `/api/threads/${threadId}/tool-results`;

function call(id: string, changes: Partial<AwaitedCall> = {}): AwaitedCall {
  return { id, name: "look", kind: "remote", arguments: { at: id }, deadline: 99, ...changes };
}

function tell(draft: EventDraft): void {
  const run = draft.type === "snapshot" ? {} : { run_id: "run" };
  server.tell({ ...run, ...draft, seq: (seq += 1), thread_id: threadId, at: 1 } as ThreadEvent);
}

function picture(...pending: AwaitedCall[]): EventDraft {
  const thread = threadOf({ pending_tool_calls: pending, active_run_id: "run" });
  return { type: "snapshot", thread, messages: [], partial: [] };
}

const awaiting = (...tool_calls: AwaitedCall[]): EventDraft => ({ type: "awaiting_tool_execution", tool_calls });
const settled = (id: string): EventDraft => ({
  type: "tool_execution_end",
  tool_call_id: id,
  tool_name: "look",
  result: { status: "success", result: "" },
  is_error: false,
  duration_ms: 1,
});

/** Resolves once the event with this number was folded. */
function known(last: number): Promise<void> {
  const thread = client.thread(threadId);
  return new Promise((resolve) => {
    const look = (): void => {
      if (thread.state.last_seq !== last) return;
      queueMicrotask(() => stop());
      resolve();
    };
    const stop = thread.subscribe(look);
    look();
  });
}

beforeEach(async () => {
  seq = 0;
  posted = [];
  [server, time] = [new FetchedServer(), new ManualTime()];
  client = new ThreadholdClient({
    url: "http://x",
    fetch: server.fetch,
    WebSocket: null,
    timers: time,
    random: () => 0,
  });
  server.answers[`POST ${path}`] = ({ body }) => {
    posted.push((body as { results: unknown[] }).results[0]);
    return { run: runOf(), missing: [], ignored: [] };
  };
  leave = client.thread(threadId).follow();
  await server.came("/events");
});
afterEach(() => {
  leave();
  client.close();
});

describe("tools of a client", () => {
  it("A call of a remote tool runs its function once, however often it is reported, with its arguments and its ids", async () => {
    const calls: [unknown, Omit<ClientCall, "signal">][] = [];
    client.tools({
      look: (args: unknown, { signal, ...emitted }) => {
        calls.push([args, emitted]);
        return signal.aborted ? "late" : { observed: true };
      },
    });
    tell(picture(call("one")));
    await server.came(path);
    tell(awaiting(call("one"), call("two")));
    tell(picture(call("one"), call("two")));
    await server.came(path, 2);
    server.cut(threadId);
    await time.armed(0);
    time.advance(0);
    await server.came("/events", 2);
    tell(awaiting(call("one"), call("two"), call("three")));
    await server.came(path, 3);
    const facts = (id: string) => [{ at: id }, { id, name: "look", threadId, runId: "run", deadline: 99 }];
    expect(calls).toEqual([facts("one"), facts("two"), facts("three")]);
    expect(posted).toEqual(
      ["one", "two", "three"].map((tool_call_id) => ({ tool_call_id, result: { observed: true } })),
    );
  });

  it("Calls that waited before their tool was offered are answered, and calls of other kinds and other names are not", async () => {
    tell(picture(call("one"), call("two", { kind: "approval" }), call("three", { name: "other" })));
    await known(1);
    const take = client.tools({ look: () => undefined });
    await server.came(path);
    expect(posted).toEqual([{ tool_call_id: "one", result: null }]);
    expect(() => client.tools({ look: () => 1 })).toThrow(/offered already/);
    take();
    client.tools({ look: () => 2 });
  });

  it.each<[string, () => unknown, unknown]>([
    ["throws", () => Promise.reject(new Error("No luck")), { error: "No luck" }],
    ["throws nothing in particular", () => Promise.reject(new Error("")), { error: "The tool failed." }],
    ["gives what is no JSON", () => 1n, { error: expect.stringMatching(/BigInt/) }],
  ])("The call of a remote tool has an error as its result if the tool's function %s", async (_, look, answer) => {
    client.tools({ look });
    tell(picture(call("one")));
    await server.came(path);
    expect(posted).toEqual([{ tool_call_id: "one", ...(answer as object) }]);
  });

  it("A followed thread lists its waiting calls, also when it is followed again later", async () => {
    const thread = client.thread(threadId);
    expect(thread.pending).toEqual([]);
    tell(picture(call("one"), call("yes", { kind: "approval" })));
    await known(1);
    expect(thread.pending.map(({ id, kind, run_id }) => [id, kind, run_id])).toEqual([
      ["one", "remote", "run"],
      ["yes", "approval", "run"],
    ]);
    const before = thread.pending;
    tell({ type: "queue_changed", queued: [] });
    await known(2);
    expect(thread.pending).toBe(before);
    leave();
    time.advance(250);
    client.tools({ look: () => "late" });
    leave = thread.follow();
    await server.came(path);
    expect(posted).toEqual([{ tool_call_id: "one", result: "late" }]);
    await server.came("after=2");
    tell(settled("one"));
    await known(3);
    expect(thread.pending.map(({ id }) => id)).toEqual(["yes"]);
  });

  it("The arguments of a waiting call are read from the call's message if the event does not contain them", async () => {
    const requested = messageAt(1, {
      parts: [{ type: "tool_call", id: "big", name: "look", arguments: { from: "list" } }],
    });
    const page = { messages: [requested], total: 1, has_more: false, next_cursor: null };
    server.answers["GET /api/threads/child/messages"] = () => page;
    const observed: unknown[] = [];
    client.tools({ look: (args: unknown) => void observed.push(args) });
    const { arguments: _, ...bare } = call("big", { thread_id: "child" });
    tell(picture(bare));
    await server.came(path);
    const own = messageAt(1, { parts: [{ type: "tool_call", id: "own", name: "look", arguments: { from: "state" } }] });
    const { arguments: __, ...other } = call("own");
    const thread = threadOf({ pending_tool_calls: [other], active_run_id: "run" });
    tell({ type: "snapshot", thread, messages: [own], partial: [] });
    await server.came(path, 2);
    expect(observed).toEqual([{ from: "list" }, { from: "state" }]);
    expect(server.requests.filter((request) => request.includes("/messages"))).toHaveLength(1);
  });

  it("The client returns a call's arguments from its event, or from the messages of the child thread if the event lacks them", async () => {
    const { tools } = client.thread(threadId);
    expect(await tools.argumentsOf(call("here", { kind: "approval" }))).toEqual({ at: "here" });
    expect(server.requests.filter((request) => request.includes("/messages"))).toEqual([]);
    const requested = messageAt(1, {
      parts: [{ type: "tool_call", id: "big", name: "look", arguments: { from: "list" } }],
    });
    server.answers["GET /api/threads/child/messages"] = () => ({
      messages: [requested],
      total: 1,
      has_more: false,
      next_cursor: null,
    });
    const { arguments: _, ...bare } = call("big", { kind: "approval", thread_id: "child" });
    expect(await tools.argumentsOf(bare)).toEqual({ from: "list" });
    await expect(tools.argumentsOf({ ...bare, id: "gone" })).rejects.toMatchObject({ code: "message_not_found" });
  });

  it("If the server refuses a result by the tool's schema, the client posts the error as the call's result and reports it", async () => {
    const wrongs: unknown[] = [];
    const emitted = new Promise((resolve) => {
      client.tools({ look: () => "no place" }, { onError: (thrown) => resolve(wrongs.push(thrown)) });
    });
    server.answers[`POST ${path}`] = ({ body }) => {
      const [result] = (body as { results: { error?: string }[] }).results;
      const error = { code: "invalid_request", message: "It does not fit.", request_id: "r" };
      if (result?.error === undefined) return Response.json({ error }, { status: 400 });
      posted.push(result);
      return { run: runOf(), missing: [], ignored: [] };
    };
    tell(picture(call("one")));
    await emitted;
    expect(posted).toEqual([{ tool_call_id: "one", error: "It does not fit." }]);
    expect(wrongs).toMatchObject([{ code: "invalid_request" }]);
  });

  it("The reason of a refused result is posted as well-formed text of at most 10,000 characters, however long the refusal is", async () => {
    const emitted = new Promise((resolve) => {
      client.tools({ look: () => 1 }, { onError: resolve });
    });
    server.answers[`POST ${path}`] = ({ body }) => {
      const [result] = (body as { results: { error?: string }[] }).results;
      const error = { code: "invalid_request", message: `\uD83D${"x".repeat(20_000)}`, request_id: "r" };
      if (result?.error === undefined) return Response.json({ error }, { status: 400 });
      posted.push(result);
      return { run: runOf(), missing: [], ignored: [] };
    };
    tell(picture(call("one")));
    await emitted;
    expect(posted).toEqual([{ tool_call_id: "one", error: `\uFFFD${"x".repeat(9999)}` }]);
  });

  it("A function as the value of a client's tool is posted as null, and half a surrogate pair in its error is replaced", async () => {
    client.tools({
      look: () => () => 1,
      other: () => {
        throw new Error("broken \uD83D");
      },
    });
    tell(picture(call("one"), call("two", { name: "other" })));
    await server.came(path, 2);
    expect(posted).toHaveLength(2);
    expect(posted).toContainEqual({ tool_call_id: "one", result: null });
    expect(posted).toContainEqual({ tool_call_id: "two", error: "broken \uFFFD" });
  });

  it("If another client answers a call, or its run ends, the signal of the call's local function is aborted and no result is posted", async () => {
    const signals: AbortSignal[] = [];
    const aborted: string[] = [];
    client.tools({
      look: (_: unknown, { id, signal }) =>
        new Promise((resolve) => {
          signals.push(signal);
          signal.addEventListener("abort", () => {
            aborted.push(id);
            resolve("too late");
          });
        }),
    });
    tell(picture(call("one"), call("two")));
    tell(settled("one"));
    tell({
      type: "run_end",
      status: "stopped",
      reason: null,
      outcome: null,
      usage: zeroUsage,
      cost: 0,
      message_ids: [],
      error: null,
    });
    while (aborted.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect([aborted, signals.length, posted]).toEqual([["one", "two"], 2, []]);
  });

  it("The client reports no error if another client answered a call, and reports a result that it cannot deliver", async () => {
    const answers = [
      [409, "conflict"],
      [404, "tool_call_not_found"],
      [403, "forbidden"],
    ] as const;
    const errors: [unknown, string][] = [];
    const refusing = new ThreadholdClient({
      url: "http://x",
      WebSocket: null,
      timers: time,
      fetch: (url, init) => {
        const [status, code] = answers[posted.length] ?? [200, ""];
        if (!url.endsWith("/tool-results")) return server.fetch(url, init);
        posted.push(code);
        return Promise.resolve(Response.json({ error: { code, message: code } }, { status }));
      },
    });
    refusing.tools({ look: () => 1 }, { onError: (error, { id }) => errors.push([error, id]) });
    leave();
    time.advance(250);
    const stop = refusing.thread(threadId).follow();
    await server.came("/events", 2);
    tell(picture(call("one"), call("two"), call("three")));
    while (errors.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect([errors, posted]).toMatchObject([
      [[{ code: "forbidden" }, "three"]],
      ["conflict", "tool_call_not_found", "forbidden"],
    ]);
    stop();
    refusing.close();
  });
});
