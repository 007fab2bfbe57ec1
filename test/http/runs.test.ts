// Messages and runs: they are admitted first, and then answered at once, with events, or when the run ends.

import { describe, expect, it } from "vitest";

import type { Run } from "#contract/run.ts";

import type { FakeSubscriber } from "./support/fake-subscriber.ts";
import type { FakeThread } from "./support/fake-thread.ts";
import { SseReader } from "./support/sse-reader.ts";
import { refusalOf, testApp } from "./support/test-app.ts";
import type { Ask, TestApp } from "./support/test-app.ts";

const sse = { accept: "text/event-stream" };

function seeded(): TestApp & {
  id: string;
  thread: FakeThread;
  post: (path: string, options?: Ask) => Promise<Response>;
} {
  const app = testApp();
  const { id, object: thread } = app.seed();
  const post = (path: string, options: Ask = {}): Promise<Response> =>
    app.ask(`/api/threads/${id}${path}`, { method: "POST", json: { content: "hi" }, ...options });
  return { ...app, id, thread, post };
}

function onlyRun(thread: FakeThread): Run {
  const [run] = thread.runs.values();
  if (run === undefined) throw new Error("No run was admitted.");
  return run;
}

function finish(thread: FakeThread, status: Run["status"] = "completed"): void {
  const run = onlyRun(thread);
  thread.runs.set(run.id, { ...run, status, text: "done" });
  const waits = status === "awaiting_tool_execution";
  thread.emit({
    run_id: run.id,
    status,
    ...(waits ? { type: status, tool_calls: [{ id: "c" }] } : { type: "run_end" }),
  });
}

function subscribed(thread: FakeThread): Promise<FakeSubscriber> {
  const { promise, resolve } = Promise.withResolvers<FakeSubscriber>();
  thread.onSubscribe = resolve;
  return promise;
}

describe("admission", () => {
  it("HTTP13 An admitted message is answered with 202, message and run", async () => {
    const { post } = seeded();
    const response = await post("/messages");
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({
      message: { role: "user", content: "hi" },
      run: { status: "queued" },
    });
    const run = await post("/runs", { json: {} });
    expect(run.status).toBe(202);
    expect(Object.keys(await run.json<object>())).toEqual(["run"]);
  });

  it.each<[string, Ask, number]>([
    ["at once", {}, 202],
    ["when asked to wait", {}, 200],
    ["when asked for events", { headers: sse }, 202],
  ])("HTTP13 The response to a message that starts no run contains no run (%s)", async (name, options, status) => {
    const { post } = seeded();
    const query = name.includes("wait") ? "?wait=true" : "";
    const response = await post(`/messages${query}`, { json: { content: "hi", run: false }, ...options });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ run: null });
  });

  it("ADMIT4 A repeated idempotency key returns the first response again, and is refused as a conflict if the body is different", async () => {
    const { post, thread } = seeded();
    const headers = { "idempotency-key": "k1" };
    const first = await post("/messages", { headers });
    const again = await post("/messages", { headers, json: { run: true, content: "hi" } });
    expect(again.status).toBe(first.status);
    expect(await again.json()).toEqual(await first.json());
    expect(thread.messages).toHaveLength(1);
    expect(await refusalOf(await post("/messages", { headers, json: { content: "ho" } }))).toMatchObject({
      status: 409,
    });
    expect(await refusalOf(await post("/runs", { headers, json: {} }))).toMatchObject({ status: 409 });
  });

  it.each(["", "a b", "a\tb", "x".repeat(256)])("ADMIT4 The text %j is refused as an idempotency key", async (key) => {
    const { post, thread } = seeded();
    const response = await post("/messages", { headers: { "idempotency-key": key } });
    expect(await refusalOf(response)).toMatchObject({ status: 400, fields: ["Idempotency-Key"] });
    expect(thread.messages).toHaveLength(0);
  });
});

describe("streams of posted messages", () => {
  it("SSE11 The events of a posted message are those of its run only, from its message to its end", async () => {
    const { post, thread } = seeded();
    thread.emit({ type: "run_start", run_id: "before" });
    const response = await post("/messages", { headers: sse });
    expect(response.status).toBe(200);
    const run_id = onlyRun(thread).id;
    const query = thread.subscribers[0]?.url.searchParams;
    expect([query?.get("run_id"), query?.get("after")]).toEqual([run_id, "1"]);
    thread.emit({ type: "message_end", run_id });
    thread.emit({ type: "custom", run_id: "other" });
    thread.emit({ type: "run_start", run_id });
    finish(thread);
    thread.emit({ type: "custom", run_id });
    const items = await new SseReader(response).rest();
    expect(items.map(({ event }) => event)).toEqual(["message_end", "run_start", "run_end"]);
    expect(await thread.subscribers[0]?.left()).toBe(1000);
  });

  it("SSE11 The events of a posted message end when the run waits for tools", async () => {
    const { post, thread } = seeded();
    const response = await post("/runs", { headers: sse, json: {} });
    finish(thread, "awaiting_tool_execution");
    const items = await new SseReader(response).rest();
    expect(items.map(({ event }) => event)).toEqual(["awaiting_tool_execution"]);
  });

  it("SSE11 The stream of a requested run continues after an awaiting_tool_execution event without open calls", async () => {
    const { post, thread } = seeded();
    const response = await post("/runs", { headers: sse, json: {} });
    thread.emit({ type: "awaiting_tool_execution", run_id: onlyRun(thread).id, tool_calls: [] });
    finish(thread);
    const items = await new SseReader(response).rest();
    expect(items.map(({ event }) => event)).toEqual(["awaiting_tool_execution", "run_end"]);
  });

  it("SSE11 The stream of a posted message ends without an event when the object ends it", async () => {
    const { post, thread } = seeded();
    const response = await post("/messages", { headers: sse });
    thread.subscribers[0]?.say('{"type":"end"}');
    expect(await new SseReader(response).rest()).toEqual([]);
  });

  it("SSE12 A stream of a posted message sends the comment `queued` until the run starts", async () => {
    const { post, thread, time } = seeded();
    const reader = new SseReader(await post("/messages", { headers: sse }));
    expect(await reader.next()).toEqual({ comment: "queued" });
    const beat = async (): Promise<unknown> => {
      const waiting = reader.next();
      await time.armed(15_000);
      time.advance(15_000);
      return waiting;
    };
    expect(await beat()).toEqual({ comment: "queued" });
    thread.emit({ type: "run_start", run_id: onlyRun(thread).id });
    expect(await reader.next()).toMatchObject({ event: "run_start" });
    expect(await beat()).toEqual({ comment: "heartbeat" });
    await reader.cancel();
  });

  it("SSE12 A repeated idempotency key replays the events of the first request's run", async () => {
    const { post, thread } = seeded();
    const headers = { ...sse, "idempotency-key": "k" };
    const first = await post("/messages", { headers });
    thread.emit({ type: "run_start", run_id: onlyRun(thread).id });
    finish(thread);
    const events = await new SseReader(first).rest();
    expect(events).toHaveLength(2);
    expect(await new SseReader(await post("/messages", { headers })).rest()).toEqual(events);
  });
});

describe("a request with wait=true", () => {
  it.each(["completed", "error", "limit", "stopped", "awaiting_tool_execution"] as const)(
    "SSE13 A request with wait=true is answered when the status of the run is %s",
    async (status) => {
      const { post, thread } = seeded();
      const subscription = subscribed(thread);
      const answer = post("/messages?wait=true");
      expect((await subscription).url.searchParams.get("types")).toBe("run_end,awaiting_tool_execution");
      finish(thread, status);
      const response = await answer;
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ message: { content: "hi" }, run: { status, text: "done" } });
      expect(await thread.subscribers[0]?.left()).toBe(1000);
    },
  );

  it("SSE13 A request with wait=true continues to wait after a reset of the object", async () => {
    const { post, thread, time } = seeded();
    const subscription = subscribed(thread);
    const answer = post("/runs?wait=true", { json: {} });
    const first = await subscription;
    const second = subscribed(thread);
    first.drop(1011);
    await time.armed(100);
    time.advance(100);
    await second;
    finish(thread);
    expect(await (await answer).json()).toMatchObject({ run: { status: "completed" } });
  });

  it("SSE13 A request with wait=true is not answered by an awaiting_tool_execution event if the run has continued meanwhile", async () => {
    const { post, thread, time } = seeded();
    const subscription = subscribed(thread);
    const answer = post("/messages?wait=true");
    await subscription;
    const run = onlyRun(thread);
    const second = subscribed(thread);
    const rest = thread.emit({ type: "awaiting_tool_execution", run_id: run.id });
    thread.runs.set(run.id, { ...run, status: "running" });
    await time.armed(100);
    time.advance(100);
    expect((await second).url.searchParams.get("after")).toBe(String(rest));
    finish(thread);
    expect(await (await answer).json()).toMatchObject({ run: { status: "completed" } });
  });

  it("SSE13 A request with wait=true for a run that has already ended is answered at once", async () => {
    const { post, thread } = seeded();
    const headers = { "idempotency-key": "k" };
    await post("/messages", { headers });
    thread.emit({ type: "run_start", run_id: onlyRun(thread).id });
    finish(thread);
    expect(await (await post("/messages?wait=true", { headers })).json()).toMatchObject({
      run: { status: "completed" },
    });
  });

  it("SSE13 A request with wait=true ends when its client has left, which is not logged as an error", async () => {
    const { post, thread, log } = seeded();
    const leaving = new AbortController();
    const subscription = subscribed(thread);
    const answer = post("/messages?wait=true", { signal: leaving.signal });
    const subscriber = await subscription;
    leaving.abort();
    expect(await subscriber.left()).toBe(1000);
    await answer;
    expect(log).toEqual([]);
  });
});
