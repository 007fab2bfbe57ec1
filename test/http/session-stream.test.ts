// The stream of an execution over a thread in memory: where it begins, how it stays alive, how it ends.

import { describe, expect, it } from "vitest";

import { readEvents } from "../support/session-client/session-client.ts";
import type { ExecutionEvent } from "../support/session-client/session-client.ts";
import type { FakeThread } from "./support/fake-thread.ts";
import { SseReader } from "./support/sse-reader.ts";
import { testApp } from "./support/test-app.ts";

function seeded() {
  const app = testApp();
  const { id, object: thread } = app.seed();
  const execute = () =>
    app.ask("/api/agent/execute", {
      method: "POST",
      json: { sessionId: id, input: { role: "user", content: "Hello" } },
    });
  return { ...app, id, thread, execute };
}

async function eventsOf(response: Response): Promise<ExecutionEvent[]> {
  const events: ExecutionEvent[] = [];
  await readEvents(response, (event) => events.push(event));
  return events;
}

function runOf(thread: FakeThread): string {
  return [...thread.runs.keys()].at(-1) ?? "";
}

const end = { type: "run_end", status: "completed", reason: null, outcome: null, error: null, message_ids: [] };

describe("the stream of an execution", () => {
  it("SESSION11 The stream of an execution has the events of its own run from the admission on, without those of other runs and of sub-prompts", async () => {
    const { execute, thread, id } = seeded();
    thread.emit({ type: "run_start", run_id: "before" });
    const response = await execute();
    expect(response.headers.get("x-session-id")).toBe(id);
    const query = thread.subscribers[0]?.url.searchParams;
    const requested = ["run_id", "after", "depth", "include_silent"].map((name) => query?.get(name));
    expect(requested).toEqual([runOf(thread), "1", "0", "false"]);
    thread.emit({ type: "run_end", run_id: "another", status: "completed" });
    thread.emit({ ...end, run_id: runOf(thread) });
    expect((await eventsOf(response)).map(({ type }) => type)).toEqual([
      "session_start",
      "session_end",
      "execute_complete",
    ]);
    expect(await thread.subscribers[0]?.left()).toBe(1000);
  });

  it("SESSION11 The stream of an execution sends a heartbeat comment after 15 seconds without an event", async () => {
    const { execute, thread, time } = seeded();
    const reader = new SseReader(await execute());
    expect(await reader.next()).toEqual({ comment: "heartbeat" });
    expect(await reader.next()).toMatchObject({ data: expect.stringContaining("session_start") });
    const waiting = reader.next();
    await time.armed(15_000);
    time.advance(15_000);
    expect(await waiting).toEqual({ comment: "heartbeat" });
    thread.emit({ ...end, run_id: runOf(thread) });
    const rest = await reader.rest();
    expect(rest.at(-1)).toMatchObject({ data: expect.stringContaining("execute_complete") });
  });

  it("SESSION11 If its thread is deleted, the stream of an execution sends the missing end events and ends with the status error", async () => {
    const { execute, thread } = seeded();
    const response = await execute();
    const of = { run_id: runOf(thread), message_id: "m1" };
    thread.emit({ type: "message_start", role: "assistant", position: "m1", ...of });
    thread.emit({ type: "text_start", index: 0, ...of });
    thread.emit({ type: "text_delta", index: 0, offset: 0, delta: "half", ...of });
    thread.subscribers[0]?.drop(4404, "The thread was deleted.");
    const events = await eventsOf(response);
    expect(events.slice(4)).toMatchObject([
      { type: "text_end", text: "half" },
      { type: "message_end", message: { role: "aborted", partial: { content: [{ type: "text", text: "half" }] } } },
      { type: "error", error: "The thread was deleted." },
      { type: "session_end", messages: [] },
      { type: "execute_complete", status: "error" },
    ]);
  });
});
