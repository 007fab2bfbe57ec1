// Sends through an injected fetch: what ends them, what they yield, and what remains open afterwards.

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ThreadholdClient, ThreadholdClientError, ThreadholdNetworkError } from "#client/index.ts";
import type { Run, Sending, ThreadHandle } from "#client/index.ts";
import { textDeltas } from "#client/sending.ts";
import type { EventDraft, ThreadEvent } from "#contract/event.ts";
import { zeroUsage } from "#contract/usage.ts";

import { spoken } from "../contract/support/story.ts";
import { ManualTime } from "../http/support/manual-timers.ts";
import { FetchedServer } from "./support/fetched-server.ts";
import { runOf, threadId, threadOf } from "./support/records.ts";

let server: FetchedServer;
let time: ManualTime;
let client: ThreadholdClient;
let thread: ThreadHandle;
let seq = 0;

const ended: EventDraft = {
  type: "run_end",
  status: "completed",
  reason: null,
  outcome: null,
  usage: zeroUsage,
  cost: 0,
  message_ids: [],
  error: null,
};
const begun: EventDraft = { type: "run_start", agent_id: "a", kind: "message", trigger: "user", parent_run_id: null };
const waitingCall = { id: "call", name: "ask", arguments: {}, kind: "remote", deadline: null } as const;
const snapshot: EventDraft = { type: "snapshot", thread: threadOf(), messages: [], partial: [] };

function tell(...drafts: EventDraft[]): void {
  for (const draft of drafts) {
    const run = draft.type === "snapshot" || draft.type === "queue_changed" ? {} : { run_id: "run" };
    server.tell({ ...run, ...draft, seq: (seq += 1), thread_id: threadId, at: 1 } as ThreadEvent);
  }
}

/** Answers the requests of a send up to the admission of its message. */
async function admitted(sending: Sending): Promise<void> {
  await server.came("/events");
  tell(snapshot);
  await sending.runId;
}

const posts = (): number => server.requests.filter((request) => /^POST .*\/messages/.test(request)).length;

beforeEach(() => {
  seq = 0;
  [server, time] = [new FetchedServer(), new ManualTime()];
  client = new ThreadholdClient({
    url: "http://x",
    fetch: server.fetch,
    WebSocket: null,
    timers: time,
    random: () => 0,
  });
  thread = client.thread(threadId);
  server.answers[`POST /api/threads/${threadId}/messages`] = () => ({
    message: null,
    run: runOf({ status: "running" }),
  });
  server.answers[`GET /api/threads/${threadId}/runs/run`] = () => runOf({ text: "done" });
  server.answers[`POST /api/threads/${threadId}/stop`] = () => ({ status: "idle" });
});
afterEach(() => client.close());

describe("a send", () => {
  it("A sent message is posted only when its events can be received, and its subscription ends with the run", async () => {
    const sending = thread.send("Hello");
    await server.came("/events");
    expect(posts()).toBe(0);
    await admitted(sending);
    tell(begun, ended);
    expect(await sending).toMatchObject({ id: "run", text: "done" });
    time.advance(250);
    expect(server.following).toEqual([]);
  });

  it("Each loop over a send yields all of its events, also a loop that begins after the end", async () => {
    const sending = thread.send("Hello");
    await admitted(sending);
    tell(begun, ended);
    await sending;
    const types = async (): Promise<string[]> => {
      const all: string[] = [];
      for await (const { type } of sending) all.push(type);
      return all;
    };
    expect([await types(), await types()]).toEqual([
      ["run_start", "run_end"],
      ["run_start", "run_end"],
    ]);
  });

  it.each<[what: string, posted: Partial<Run>, event: EventDraft]>([
    ["a snapshot arrived", { status: "running" }, snapshot],
    ["the run left the queue", { status: "queued" }, { type: "queue_changed", queued: [] }],
  ])(
    "A send yields all events of a run that is read as completed after %s and before its events",
    async (_what, posted, event) => {
      server.answers[`POST /api/threads/${threadId}/messages`] = () => ({ message: null, run: runOf(posted) });
      server.answers[`GET /api/threads/${threadId}/runs/run`] = () => runOf({ text: "done", ended_at: 2 });
      const sending = thread.send("Hello");
      await admitted(sending);
      tell(event);
      await server.came("/runs/run");
      // The response has been read.
      for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
      tell(begun, ended);
      expect(await sending).toMatchObject({ text: "done" });
      const types: string[] = [];
      for await (const { type } of sending) types.push(type);
      expect(types).toEqual(["run_start", "run_end"]);
    },
  );

  it("A send with a repeated idempotency key resolves if its run has ended before the subscription began", async () => {
    const sending = thread.send("Hello", { idempotencyKey: "again" });
    await admitted(sending);
    expect(await sending).toMatchObject({ text: "done" });
  });

  it("A send with until=rest continues if the last call of a child thread was answered", async () => {
    const sending = thread.send("Hello", { until: "rest" });
    server.answers[`GET /api/threads/${threadId}/runs/run`] = () => runOf({ text: "done", ended_at: 2 });
    await admitted(sending);
    tell(begun, { type: "awaiting_tool_execution", tool_calls: [] }, ended);
    await sending;
    const types: string[] = [];
    for await (const { type } of sending) types.push(type);
    expect(types).toEqual(["run_start", "awaiting_tool_execution", "run_end"]);
  });

  it("If a run is suspended while the connection is lost, a send until rest resolves after the reconnect", async () => {
    server.answers[`GET /api/threads/${threadId}/runs/run`] = () => runOf({ status: "awaiting_tool_execution" });
    const sending = thread.send("Hello", { until: "rest" });
    await admitted(sending);
    tell({ ...snapshot, thread: threadOf({ active_run_id: "run", status: "awaiting_tool_execution" }) });
    expect((await sending).status).toBe("awaiting_tool_execution");
  });

  it("If a run ends while the connection is lost, the promise of its send resolves after the reconnect", async () => {
    const sending = thread.send("Hello");
    await admitted(sending);
    tell(begun);
    server.cut(threadId);
    await time.armed(0);
    time.advance(0);
    await server.came("/events", 2);
    tell(snapshot);
    expect((await sending).text).toBe("done");
  });

  it("If the input of a send is removed from the queue, the send resolves with the status stopped", async () => {
    server.answers[`POST /api/threads/${threadId}/messages`] = () => ({
      message: null,
      run: runOf({ status: "queued" }),
    });
    server.answers[`GET /api/threads/${threadId}/runs/run`] = () => runOf({ status: "stopped" });
    const sending = thread.send("Hello");
    await admitted(sending);
    tell({ type: "queue_changed", queued: ["run"] }, { type: "queue_changed", queued: [] });
    expect((await sending).status).toBe("stopped");
  });

  it("A send with until=rest resolves when its run begins to wait for the client, or at once if it waits already", async () => {
    const waits = runOf({ status: "awaiting_tool_execution", ended_at: null });
    server.answers[`GET /api/threads/${threadId}/runs/run`] = () => waits;
    const first = thread.send("Hello", { until: "rest" });
    await admitted(first);
    tell(begun, { type: "awaiting_tool_execution", tool_calls: [waitingCall] });
    expect((await first).status).toBe("awaiting_tool_execution");
    server.answers[`POST /api/threads/${threadId}/messages`] = () => ({ message: null, run: waits });
    expect((await thread.send("And", { until: "rest", when: "steer" })).status).toBe("awaiting_tool_execution");
  });

  it("If a run begins to wait while the connection is lost, a send with until=rest resolves after the reconnect, and a send without it at the end of the run", async () => {
    const waits = runOf({ status: "awaiting_tool_execution", ended_at: null });
    server.answers[`GET /api/threads/${threadId}/runs/run`] = () => waits;
    const ends: string[] = [];
    const patient = thread.send("Hello");
    const sending = thread.send("Hello", { until: "rest" });
    void patient.then(({ status }) => ends.push(status));
    await Promise.all([admitted(sending), patient.runId]);
    tell(begun);
    server.cut(threadId);
    await time.armed(0);
    time.advance(0);
    await server.came("/events", 2);
    tell(snapshot);
    expect((await sending).status).toBe("awaiting_tool_execution");
    expect(ends).toEqual([]);
    server.answers[`GET /api/threads/${threadId}/runs/run`] = () => runOf({ text: "done" });
    tell(ended);
    expect((await patient).text).toBe("done");
  });

  it("If a send is aborted before it was posted, nothing is posted; with stopOnAbort a later abort stops the run", async () => {
    await expect(thread.send("Hello", { signal: AbortSignal.abort(new Error("Enough")) })).rejects.toThrow("Enough");
    const early = new AbortController();
    const waiting = thread.send("Hello", { signal: early.signal });
    await server.came("/events");
    early.abort(new Error("Enough"));
    tell(snapshot);
    await expect(waiting).rejects.toThrow("Enough");
    expect(posts()).toBe(0);
    const late = new AbortController();
    const sending = thread.send("Hello", { signal: late.signal, stopOnAbort: true });
    await sending.runId;
    late.abort(new Error("Enough"));
    await server.came("/stop");
    await expect(sending).rejects.toThrow("Enough");
  });

  it("An error of a send is reported once, in the loop or by the promise, and the message is posted once", async () => {
    server.answers[`POST /api/threads/${threadId}/messages`] = () => ({ message: null, run: null });
    const sending = thread.send("Hello");
    await server.came("/events");
    tell(snapshot);
    const loop = async (): Promise<void> => {
      for await (const event of sending) expect(event).toBeUndefined();
    };
    await expect(loop()).rejects.toThrow(/started no run/);
    expect(posts()).toBe(1);
    const closed = thread.send("Hello");
    client.close();
    await expect(closed).rejects.toThrow(/closed/);
    expect(posts()).toBe(1);
    expect(() => thread.follow()).toThrow(/closed/);
    const gone = new ThreadholdClient({ url: "http://x", fetch: server.fetch, WebSocket: null, timers: time });
    server.answers["GET /api/threads/other"] = () => ({});
    await expect(gone.thread("other").get()).resolves.toEqual({});
    await expect(gone.thread("third").get()).rejects.toBeInstanceOf(ThreadholdClientError);
  });
});

describe("the text of a send", () => {
  const received = async (drafts: readonly EventDraft[]): Promise<string[]> => {
    async function* emitted() {
      for (const draft of drafts) yield { ...draft, seq: 1, thread_id: threadId, at: 1 } as ThreadEvent;
    }
    const pieces: string[] = [];
    for await (const piece of textDeltas(emitted())) pieces.push(piece);
    return pieces;
  };
  const of = { message_id: "m", index: 0 };

  it("The text stream of a send yields only the new part of overlapping or merged deltas, and the missing rest at the end of a block", async () => {
    expect(
      await received([
        { type: "text_delta", ...of, offset: 0, delta: "Hel" },
        { type: "text_delta", ...of, offset: 0, delta: "Hello, " },
        { type: "text_delta", ...of, offset: 3, delta: "lo" },
        { type: "text_end", ...of, text: "Hello, world" },
        { type: "text_delta", message_id: "m", index: 1, offset: 0, delta: "!" },
      ]),
    ).toEqual(["Hel", "lo, ", "world", "!"]);
  });

  it("The text of a send contains neither the text of nested prompts nor thinking", async () => {
    const inner = spoken(1, "inner", []).map((draft) => ({ ...draft, depth: 1 }));
    const thinking: EventDraft = { type: "thinking_delta", ...of, offset: 0, delta: "hm" };
    expect(await received([...inner, thinking, ...spoken(2, "outer", [])])).toEqual(["outer"]);
  });
});

describe("a thread's events", () => {
  it("A thread's events reach loops and listeners in order, until these stop", async () => {
    const custom: unknown[] = [];
    const leave = thread.onCustom("order.placed", (data) => custom.push(data));
    await server.came("/events");
    const types: string[] = [];
    const loop = (async () => {
      for await (const { type } of thread.events()) {
        types.push(type);
        if (type === "queue_changed") break;
      }
    })();
    tell(
      snapshot,
      { type: "custom", name: "other", data: 1 },
      { type: "custom", name: "order.placed", data: { id: "7" } },
      { type: "queue_changed", queued: [] },
    );
    await loop;
    expect([types, custom]).toEqual([["snapshot", "custom", "custom", "queue_changed"], [{ id: "7" }]]);
    leave();
    time.advance(250);
    expect(server.following).toEqual([]);
    const known = thread.state.last_seq;
    const back = thread.follow();
    await server.came(`after=${String(known)}`);
    back();
  });

  it("A thread that was deleted and created again is followed from its beginning, not from a number of the earlier thread", async () => {
    const leave = thread.follow();
    await server.came("/events");
    tell(snapshot, ...spoken(1, "of the one before", []));
    const gone = new Promise<void>((resolve) => {
      const unlisten = thread.subscribe(() => {
        if (thread.connection.state !== "closed") return;
        unlisten();
        resolve();
      });
    });
    server.refuse(threadId, "thread_not_found");
    await gone;
    expect(thread.connection).toMatchObject({ error: { code: "thread_not_found" } });
    expect(thread.state.messages).toHaveLength(1);
    leave();
    const back = thread.follow();
    await server.came("/events", 2);
    expect(server.requests.at(-1)).toBe(`GET /api/threads/${threadId}/events`);
    expect(thread.state.messages).toEqual([]);
    back();
  });

  it("Events after a given number come over a separate subscription, which is closed with its loop and with the client", async () => {
    const read = async (events: AsyncIterable<ThreadEvent>): Promise<string[]> => {
      const types: string[] = [];
      for await (const { type } of events) {
        types.push(type);
        if (type === "run_end") break;
      }
      return types;
    };
    const types = read(thread.events({ after: 0, silent: true }));
    await server.came("/events?after=0&include_silent=true");
    expect(thread.connection.state).toBe("closed");
    tell(begun, ended);
    expect(await types).toEqual(["run_start", "run_end"]);
    expect([server.following, thread.state.last_seq]).toEqual([[], 0]);
    const cut = read(thread.events({ after: 7 }));
    await server.came("/events?after=7");
    client.close();
    await expect(cut).rejects.toThrow("closed");
    expect(server.following).toEqual([]);
  });

  it("A loop over a thread's events with until=idle ends when the thread is idle, and closes its connection", async () => {
    const types: string[] = [];
    const read = async (): Promise<void> => {
      for await (const { type } of thread.events({ after: 0, until: "idle", types: ["run_end", "file_changed"] }))
        types.push(type);
    };
    const reading = read();
    await server.came("/events?after=0&types=run_end%2Cfile_changed&until=idle");
    tell(ended);
    server.end(threadId);
    await reading;
    expect([types, server.following]).toEqual([["run_end"], []]);
    expect(thread.connection.state).toBe("closed");
  });

  it("A loop over a thread's events with until=idle ends with an error if its connection breaks or the client is closed before the thread is idle", async () => {
    const first = async (): Promise<unknown> => {
      for await (const event of thread.events({ after: 0, until: "idle" })) return event;
      return "the end";
    };
    const cut = first();
    await server.came("/events");
    server.cut(threadId);
    await expect(cut).rejects.toBeInstanceOf(ThreadholdNetworkError);
    const closing = first();
    await server.came("/events", 2);
    client.close();
    await expect(closing).rejects.toThrow("The client was closed.");
    expect(server.following).toEqual([]);
    await expect(first()).rejects.toThrow("The client was closed.");
  });

  it("A subscription to some event types yields only events of these types", async () => {
    const read = async (): Promise<unknown> => {
      for await (const { type } of thread.events({ after: 0, types: ["run_end"] })) return type;
      return null;
    };
    const reading = read();
    await server.came("/events?after=0");
    tell(begun, ended);
    expect(await reading).toBe("run_end");
  });
});
