// Sessions with the real app and real objects: the events of an execution, how it continues, and what is stored.

import { describe, expect, it } from "vitest";

import type { Message } from "#contract/thread-message.ts";
import type { Thread } from "#contract/thread.ts";

import { execute, readEvents, readSession, textOf } from "../support/session-client/session-client.ts";
import type { ExecutionEvent } from "../support/session-client/session-client.ts";
import { evict } from "../thread/thread-driver.ts";
import { gate, scripts } from "../worker/definitions.ts";
import { anna, ask } from "./support/session-app.ts";

const options = { model: "scripted" };
const said = (content: string) => ({ role: "user", content });
const ofClient = { name: "far", label: "Far", parameters: { type: "object", properties: { q: { type: "string" } } } };
describe("an execution", () => {
  it("SESSION10 An execution emits all events from session_start to its result, and the session then has the same messages", async () => {
    const name = `turn:${crypto.randomUUID()}`;
    scripts.set("stream_it", ({ step }) =>
      step === 0
        ? {
            thinking: "Well.",
            text: ["I ", "look."],
            toolCalls: [{ name: "stream", arguments: { parts: ["a", "b"] } }],
          }
        : { text: ["It ", "is ab."] },
    );
    const { sessionId, events, complete } = await execute(anna, {
      sessionId: name,
      input: said("stream_it now"),
      context: { agent: "parallel" },
    });
    expect(sessionId).toBe(name);
    expect(events[0]).toEqual({ type: "session_start", sessionId: name });
    expect(textOf(events)).toBe("I look.It is ab.");
    const marks = events.map(({ type }) => type).filter((type) => !type.endsWith("_delta"));
    const thought =
      "message_start thinking_start thinking_end text_start text_end toolcall_start toolcall_end message_end";
    const worked = "tool_execution_start tool_execution_end message_start message_end";
    const answered = "message_start text_start text_end message_end";
    expect(marks.join(" ")).toBe(
      `session_start message_start message_end ${thought} ${worked} ${answered} session_end`,
    );
    expect(complete).toEqual({ type: "execute_complete", status: "completed" });
    const end = events.at(-1);
    const messages = end?.type === "session_end" ? end.messages : [];
    const answer = { role: "assistant", model: "scripted", provider: "test", usage: { output: expect.any(Number) } };
    expect(messages).toMatchObject([
      { role: "user", content: "stream_it now" },
      { ...answer, stopReason: "tool_calls", content: [{ type: "thinking" }, { type: "text" }, { type: "toolCall" }] },
      { role: "toolResult", toolName: "stream", content: "ab", isError: false },
      { ...answer, stopReason: "stop", content: [{ type: "text", text: "It is ab." }] },
    ]);
    const view = await readSession(anna, name);
    expect(view).toEqual({
      id: name,
      status: "completed",
      model: "scripted",
      messages,
      totalCost: expect.any(Number),
      pendingToolCalls: [],
    });
  });

  it("SESSION10 The session of an execution can be used as a thread by the thread routes, and any thread can be used as a session", async () => {
    const { sessionId } = await execute(anna, { input: said("Hello"), context: {}, options });
    const thread = await ask<Thread>(anna, "GET", `/api/threads/${sessionId}`);
    expect(thread).toMatchObject({ id: sessionId, agent_id: "session", user_id: "anna", status: "idle" });
    const { messages } = await ask<{ messages: Message[] }>(anna, "GET", `/api/threads/${sessionId}/messages`);
    expect(messages.map(({ content }) => content)).toEqual(["Hello", "echo: Hello"]);
    await ask(anna, "POST", `/api/threads/${sessionId}/messages?wait=true`, { content: "Once more" });
    expect((await readSession(anna, sessionId))?.messages).toHaveLength(4);

    const made = await ask<Thread>(anna, "POST", "/api/threads", { agent_id: "parallel" });
    expect(await readSession(anna, made.id)).toMatchObject({ status: "completed", messages: [], model: "scripted" });
    const executed = await execute(anna, { session_id: made.id, input: said("Hello") });
    expect(executed).toMatchObject({ status: 200, sessionId: made.id, complete: { status: "completed" } });
    expect(textOf(executed.events)).toBe("echo: Hello");
  });

  it("SESSION10 An execution continues with the earlier messages, and emits only the new ones", async () => {
    scripts.set("count", ({ messages }) => ({ text: String(messages.length) }));
    const { sessionId } = await execute(anna, { input: said("Hello"), context: {}, options });
    const second = await execute(anna, { sessionId, input: said("count them") });
    expect(textOf(second.events)).toBe("3");
    expect(second.events.at(-1)).toMatchObject({ messages: [{ role: "user" }, { role: "assistant" }] });
  });

  it("SESSION11 An execution continues after its client has left", async () => {
    const { reached, open } = gate("left");
    scripts.set("leave", async ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "wait", arguments: { gate: "left" } }] } : { text: "Done." },
    );
    const abort = new AbortController();
    const body = JSON.stringify({ input: said("leave"), context: { agent: "parallel" } });
    const headers = { "content-type": "application/json" };
    const response = await anna("/api/agent/execute", { method: "POST", body, headers, signal: abort.signal });
    const sessionId = response.headers.get("x-session-id") ?? "";
    await response.body?.getReader().read();
    await reached;
    abort.abort();
    expect(await readSession(anna, sessionId)).toMatchObject({ status: "running" });
    open();
    await anna(`/api/threads/${sessionId}/events?after=0&until=idle`).then((events) => events.text());
    expect(await readSession(anna, sessionId)).toMatchObject({ status: "completed", messages: { length: 4 } });
  });

  it("SESSION11 The stream of an execution has only lines of data and of comments", async () => {
    const body = JSON.stringify({ input: said("Hello"), context: {}, options });
    const headers = { "content-type": "application/json" };
    const response = await anna("/api/agent/execute", { method: "POST", body, headers });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const lines = (await response.text()).split("\n").filter((line) => line !== "");
    expect(lines.filter((line) => !line.startsWith(": ") && !line.startsWith("data: "))).toEqual([]);
  });
});

describe("settings of a session", () => {
  it("SESSION17 A session without an agent keeps the prompt and the tools of its first request, and ignores those of later requests", async () => {
    scripts.set("who", ({ system, tools }) => ({ text: `${system} ${tools.map(({ name }) => name).join()}` }));
    const context = { systemPrompt: "Be kind.", tools: [ofClient] };
    const { sessionId, events } = await execute(anna, { input: said("who"), context, options });
    expect(textOf(events)).toBe("Be kind. far");
    await evict(sessionId);
    expect(textOf((await execute(anna, { sessionId, input: said("who") })).events)).toBe("Be kind. far");
    // The context in a later request is ignored.
    const other = { sessionId, input: said("who"), context: { systemPrompt: "Be rude." } };
    expect(textOf((await execute(anna, other)).events)).toBe("Be kind. far");
  });

  it("SESSION17 A session with an agent has that agent's prompt and tools, and the client's tools with them", async () => {
    scripts.set("who", ({ system, tools }) => ({ text: `${system} ${tools.map(({ name }) => name).join()}` }));
    const context = { agent: "asker", tools: [ofClient] };
    const { sessionId, events } = await execute(anna, { input: said("who"), context });
    expect(textOf(events)).toBe("You are a test. ask,ask_place,ask_soon,note,wait,far");
    expect(await ask<Thread>(anna, "GET", `/api/threads/${sessionId}`)).toMatchObject({ agent_id: "asker" });
  });

  it("SESSION18 Options of a request apply to its run and to later ones, and limits to its run alone", async () => {
    scripts.set("loops", ({ step }) =>
      step < 5 ? { toolCalls: [{ name: "note", arguments: { text: "x" } }] } : { text: "Done." },
    );
    const made = { context: { agent: "parallel" }, options: { limits: { steps: 2 } } };
    const { sessionId, complete } = await execute(anna, { input: said("loops"), ...made });
    expect(complete?.status).toBe("completed");
    const runs = () =>
      ask<{ runs: { status: string; models: string[] }[] }>(anna, "GET", `/api/threads/${sessionId}/runs`);
    expect((await runs()).runs[0]).toMatchObject({ status: "limit" });
    await execute(anna, { sessionId, input: said("loops"), options: { model: "failing" } });
    expect((await runs()).runs[0]).toMatchObject({ status: "completed", models: expect.arrayContaining(["failing"]) });
    await evict(sessionId);
    await execute(anna, { sessionId, input: said("Hello") });
    expect((await runs()).runs[0]).toMatchObject({ models: expect.arrayContaining(["failing"]) });
  });

  it("SESSION18 If a run waits at a limit, the session shows a pending call of the kind limit, which a request of the kind continue answers", async () => {
    scripts.set("rests", ({ step }) =>
      step < 3 ? { toolCalls: [{ name: "note", arguments: { text: "x" } }] } : { text: "Done." },
    );
    const limits = { steps: 2, on_limit: "rest" };
    const requested = await execute(anna, {
      input: said("rests"),
      context: { agent: "parallel" },
      options: { limits },
    });
    const { sessionId, complete } = requested;
    expect(complete).toMatchObject({
      status: "awaiting_tool_execution",
      pendingToolCalls: [{ name: "limit", kind: "limit", arguments: { allowed: 2 } }],
    });
    const shown = await readSession(anna, sessionId);
    expect(shown).toMatchObject({ status: "awaiting_tool_execution", pendingToolCalls: complete?.pendingToolCalls });
    expect(await execute(anna, { sessionId, input: said("Hello") })).toMatchObject({ status: 409 });
    const more = { kind: "continue", limits: { steps: 10 } };
    await ask(anna, "POST", `/api/threads/${sessionId}/runs?wait=true`, more);
    expect(await readSession(anna, sessionId)).toMatchObject({ status: "completed", pendingToolCalls: [] });
  });

  it("SESSION21 Messages of a request are the history that the model is sent", async () => {
    let received: unknown = null;
    scripts.set("before", ({ messages }) => {
      received = messages.map(({ role, content }) => [role, content]);
      return { text: "ok" };
    });
    const call = { type: "toolCall", id: "c1", name: "far", arguments: { q: "x" } };
    const messages = [
      said("First"),
      { role: "assistant", content: [{ type: "text", text: "I ask." }, call], stopReason: "tool_calls" },
      { role: "toolResult", toolCallId: "c1", toolName: "far", content: "x!" },
      { role: "assistant", content: [{ type: "text", text: "Thanks." }] },
      { role: "aborted", partial: { role: "assistant", content: [{ type: "text", text: "And" }] } },
    ];
    const made = { input: said("before"), context: { messages, tools: [ofClient] }, options };
    const { sessionId, events } = await execute(anna, made);
    expect(received).toEqual([
      ["user", "First"],
      ["assistant", "I ask."],
      ["tool", "x!"],
      ["assistant", expect.stringContaining("Thanks.")],
      ["user", "before"],
    ]);
    expect(events.at(-1)).toMatchObject({ messages: { length: 2 } });
    expect((await readSession(anna, sessionId))?.messages).toMatchObject([
      ...messages.slice(0, 2),
      { ...messages[2], isError: false },
      ...messages.slice(3),
      said("before"),
      { role: "assistant" },
    ]);
  });

  it("SESSION21 Images of a request become files of the thread", async () => {
    const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const content = [
      { type: "text", text: "See" },
      { type: "image", data, mimeType: "image/png" },
    ];
    const { sessionId, events } = await execute(anna, { input: { role: "user", content }, context: {}, options });
    const user = events.find((event) => event.type === "message_end");
    const shown = { type: "file", path: expect.stringMatching(/^\/attachments\/.*\.png$/), mimeType: "image/png" };
    expect(user).toMatchObject({ message: { role: "user", content: [{ type: "text", text: "See" }, shown] } });
    const first = (await readSession(anna, sessionId))?.messages[0];
    const parts = first?.role === "user" && typeof first.content !== "string" ? first.content : [];
    const path = parts.flatMap((part) => (part.type === "file" ? [part.path] : []))[0] ?? "";
    const file = await anna(`/api/threads/${sessionId}/files${path}`);
    expect([file.status, file.headers.get("content-type")]).toEqual([200, "image/png"]);
    await file.body?.cancel();
  });
});

describe("failures, stops and repeated requests", () => {
  it("SESSION22 A failure is emitted as an error with the text so far, and its message stays in the session", async () => {
    scripts.set("breaks", () => ({ text: "half an ans", error: { kind: "auth", message: "no key" } }));
    const { sessionId, events, complete } = await execute(anna, { input: said("breaks"), context: {}, options });
    expect(complete).toEqual({ type: "execute_complete", status: "error" });
    const partial = { role: "assistant", content: [{ type: "text", text: "half an ans" }] };
    const broken = { role: "error", error: expect.stringContaining("no key"), partial };
    expect(events.slice(-3)).toMatchObject([
      { type: "message_end", message: broken },
      { type: "error", message: broken },
      { type: "session_end", messages: [said("breaks"), broken] },
    ]);
    expect(await readSession(anna, sessionId)).toMatchObject({ status: "error", messages: [said("breaks"), broken] });
    scripts.set("refuses", () => ({ error: { kind: "auth", message: "no key" } }));
    const second = await execute(anna, { sessionId, input: said("refuses") });
    const alone = { role: "error", error: expect.stringContaining("no key") };
    expect(second.events.at(-1)).toMatchObject({ messages: [said("refuses"), alone] });
    const all = [said("breaks"), broken, said("refuses"), alone];
    expect(await readSession(anna, sessionId)).toMatchObject({ messages: all });
    const third = await execute(anna, { sessionId, input: said("Hello") });
    expect(third.complete?.status).toBe("completed");
  });

  it("SESSION22 A stop ends the execution as completed, with the text so far as aborted", async () => {
    scripts.set("stops", () => ({ text: Array.from({ length: 5000 }, () => "on "), delayMs: 20 }));
    const body = JSON.stringify({ input: said("stops"), context: {}, options });
    const headers = { "content-type": "application/json" };
    const response = await anna("/api/agent/execute", { method: "POST", body, headers });
    const sessionId = response.headers.get("x-session-id") ?? "";
    const events: ExecutionEvent[] = [];
    const spoke = Promise.withResolvers<void>();
    const reading = readEvents(response, (event) => {
      events.push(event);
      if (event.type === "text_delta") spoke.resolve();
    });
    await spoke.promise;
    await ask(anna, "POST", `/api/threads/${sessionId}/stop`, {});
    await reading;
    expect(events.at(-1)).toEqual({ type: "execute_complete", status: "completed" });
    const partial = { role: "assistant", stopReason: "length", content: [{ type: "text", text: textOf(events) }] };
    expect(events.at(-2)).toMatchObject({ messages: [said("stops"), { role: "aborted", partial }] });
    const messages = [said("stops"), { role: "aborted", partial }];
    expect(await readSession(anna, sessionId)).toMatchObject({ status: "completed", messages });
  });

  it("SESSION22 A repeated idempotency key with the same body emits the same execution again, and starts no run", async () => {
    const key = { headers: { "idempotency-key": crypto.randomUUID() } };
    const sessionId = `keyed-${crypto.randomUUID()}`;
    const body = { sessionId, input: said("Hello"), context: {}, options };
    const first = await execute(anna, body, key);
    const again = await execute(anna, body, key);
    expect(again.complete).toEqual(first.complete);
    expect(again.events.at(-1)).toEqual(first.events.at(-1));
    expect((await readSession(anna, sessionId))?.messages).toHaveLength(2);
    const other = await execute(anna, { ...body, input: said("Else") }, key);
    expect(other).toMatchObject({ status: 409, refusal: { code: "conflict" } });
  });
});
