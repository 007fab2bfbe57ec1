// Executions that end early: failing models, aborts, limits.

import { afterEach, expect, it, vi } from "vitest";

import { execute } from "#session/index.ts";
import type { AgentTool } from "#session/index.ts";

import { add, outline, run, scripted, session, transcript, user } from "./support/scripted-session.ts";

afterEach(() => {
  vi.useRealTimers();
});

const failing = { kind: "auth" as const, message: "No such key." };

it("ENTRY7 If a model fails in the middle of an answer, the session has an error message with the partial answer and the status error, and an error event is emitted", async () => {
  const of = session([{ text: "So far so", error: failing }]);
  const { events, result } = await run(of, "Hello");
  const message = of.messages.at(-1);
  expect(transcript(of.messages)).toEqual(["user: Hello", "error: No such key. after So far so"]);
  expect(outline(events).slice(-4)).toEqual(["text_end", "message_end", "error", "session_end"]);
  expect(events.find(({ type }) => type === "error")).toEqual({ type: "error", error: "No such key.", message });
  expect(result).toMatchObject({ status: "error", messages: [user("Hello"), message] });
  expect(of.status).toBe("error");
});

it("ENTRY7 If a model fails before its first text, the session has an error message without a partial answer", async () => {
  const of = session([{ error: failing }]);
  const { events, result } = await run(of, "Hello");
  expect(result.messages.at(-1)).toEqual({ role: "error", error: "No such key." });
  expect(outline(events).slice(-4)).toEqual(["message_start", "message_end", "error", "session_end"]);
});

it("ENTRY7 After a failure the next message continues the conversation", async () => {
  const of = session(({ lastUser, messages }) =>
    lastUser === "Hello" ? { text: "So far so", error: failing } : { text: `${messages.length} messages.` },
  );
  await run(of, "Hello");
  const { result } = await run(of, "Again?");
  expect(transcript(result.messages)).toEqual(["user: Again?", "assistant: 3 messages."]);
  expect(of.status).toBe("completed");
});

it("ENTRY7 A temporary failure is retried, and the text of the failed attempt is not in the conversation", async () => {
  let requested = 0;
  const script = () => {
    requested += 1;
    if (requested > 1) return { text: "Here I am." };
    return { text: "Half a", error: { kind: "network" as const, message: "reset", retryAfterMs: 1 } };
  };
  const of = session(script, [], { model: { ...scripted(script), retry: { initialDelayMs: 1 } } });
  const { events, result } = await run(of, "Hello");
  expect(transcript(result.messages)).toEqual(["user: Hello", "assistant: Here I am."]);
  expect(outline(events).filter((type) => type === "message_start")).toHaveLength(3);
  expect(of.messages).toEqual(result.messages);
});

it("ENTRY7 If a provider requests a wait of a minute before a retry, the request is retried after this time", async () => {
  vi.useFakeTimers();
  let requested = 0;
  const of = session(() => {
    requested += 1;
    if (requested > 1) return { text: "Here I am." };
    return { error: { kind: "rate_limited", message: "Slowly.", retryAfterMs: 60_000 } };
  });
  const stream = execute(of, user("Hello"));
  await vi.advanceTimersByTimeAsync(59_000);
  expect({ requested, status: of.status }).toEqual({ requested: 1, status: "running" });
  await vi.advanceTimersByTimeAsync(1000);
  expect(transcript((await stream.result()).messages).at(-1)).toBe("assistant: Here I am.");
});

it("ENTRY8 An abort ends a long wait before a retry at once", async () => {
  vi.useFakeTimers();
  const abort = new AbortController();
  const of = session(() => ({ error: { kind: "rate_limited", message: "Slowly.", retryAfterMs: 60_000 } }));
  const stream = execute(of, user("Hello"), { signal: abort.signal });
  await vi.advanceTimersByTimeAsync(30_000);
  abort.abort();
  expect(await stream.result()).toMatchObject({ status: "completed", messages: [user("Hello")] });
  expect(vi.getTimerCount()).toBe(0);
});

it("ENTRY8 An abort keeps the text so far as an aborted message, and the session can be used again", async () => {
  const abort = new AbortController();
  const of = session(({ lastUser }) =>
    lastUser === "Talk" ? { text: ["One. ", "Two. ", "Three."], delayMs: 5 } : { text: "Gladly." },
  );
  const stream = execute(of, user("Talk"), { signal: abort.signal });
  for await (const event of stream) if (event.type === "text_delta") abort.abort();
  const { status, messages } = await stream.result();
  expect(status).toBe("completed");
  const last = messages.at(-1);
  expect(last?.role === "aborted" && last.partial.content).toEqual([{ type: "text", text: "One. " }]);
  expect(of.messages).toEqual(messages);
  expect(transcript((await run(of, "Go on")).result.messages).at(-1)).toBe("assistant: Gladly.");
});

it("ENTRY8 An abort fires the signal of a running tool, and the call has an error result that states that the run was stopped", async () => {
  const abort = new AbortController();
  let received: unknown;
  const forever: AgentTool = {
    name: "forever",
    label: "Forever",
    parameters: { type: "object" },
    async *execute(_id, _params, signal) {
      yield { type: "delta", delta: "Working…" };
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      received = signal.reason;
    },
  };
  const of = session([{ toolCalls: [{ name: "forever", arguments: {} }] }, { text: "?" }], [forever, add]);
  const stream = execute(of, user("Work"), { signal: abort.signal });
  for await (const event of stream) if (event.type === "tool_execution_delta") abort.abort(new Error("enough"));
  expect((await stream.result()).status).toBe("completed");
  expect(received).toEqual(new Error("enough"));
  expect(transcript(of.messages).at(-1)).toBe("forever failed: The run was stopped before this tool finished.");
});

it("ENTRY8 An execution ends at once if the abort signal of its session has already fired", async () => {
  const abort = new AbortController();
  const of = session([{ text: "Hello." }], [], { signal: abort.signal });
  abort.abort();
  const { result } = await run(of, "Hello", { signal: new AbortController().signal });
  expect(transcript(result.messages)).toEqual(["user: Hello"]);
});

it("ENTRY9 Each answer has its usage and cost, and the execution and the session have the sum of the costs", async () => {
  const usage = { input: 1000, output: 500, cacheRead: 100, cacheWrite: 0 };
  const script = [
    { toolCalls: [{ name: "add", arguments: { a: 1, b: 2 } }], usage },
    { text: "3.", usage },
    { text: "Bye.", usage },
  ];
  const of = session(script, [add]);
  const first = await run(of, "What is 1 + 2?");
  const answers = first.result.messages.filter((message) => message.role === "assistant");
  // 1,000 and 100 at 1 USD per million, 500 at 2.
  expect(answers.map(({ cost }) => cost)).toEqual([0.0021, 0.0021]);
  expect(answers[0]).toMatchObject({
    model: "scripted",
    provider: "test",
    stopReason: "tool_calls",
    usage: { ...usage, totalTokens: 1600 },
  });
  expect(first.result.cost).toBeCloseTo(0.0042, 10);
  const second = await run(of, "Bye");
  expect(second.result.cost).toBeCloseTo(0.0021, 10);
  expect(of.totalCost).toBeCloseTo(0.0063, 10);
});

it("ENTRY9 The cost of an execution and of its session is null if the model has no price", async () => {
  const { inputPrice: _, ...free } = scripted([{ text: "Hello." }]);
  const of = session([], [], { model: free });
  expect((await run(of, "Hello")).result.cost).toBeNull();
  expect(of.totalCost).toBeNull();
});

it("ENTRY9 An execution ends as completed at its limit of steps, before another model call", async () => {
  let requested = 0;
  const script = () => {
    requested += 1;
    return { toolCalls: [{ name: "add", arguments: { a: requested, b: 0 } }] };
  };
  const of = session(script, [add], { limits: { steps: 2 } });
  const { result } = await run(of, "Add for ever");
  expect(requested).toBe(2);
  expect(result.status).toBe("completed");
  await run(of, "And on", { limits: { steps: 1 } });
  expect(requested).toBe(3);
});

it.each([
  ["tokens", { tokens: 1500 }],
  ["cost", { cost: 0.001 }],
])("ENTRY9 An execution makes no further request after it reached its limit of %s", async (_, limits) => {
  const usage = { input: 1000, output: 600 };
  const again = { toolCalls: [{ name: "add", arguments: { a: 1, b: 2 } }], usage };
  const { result } = await run(session([again, again, again], [add], { limits }), "Add for ever");
  expect(result.status).toBe("completed");
  expect(result.messages.filter(({ role }) => role === "assistant")).toHaveLength(1);
});

it("ENTRY9 An execution is interrupted at its time limit, and keeps the text so far", async () => {
  vi.useFakeTimers();
  const of = session([{ text: ["One. ", "Two. ", "Three."], delayMs: 400 }], [], { limits: { duration_ms: 1000 } });
  const stream = execute(of, user("Talk"));
  await vi.advanceTimersByTimeAsync(1000);
  const { status, messages } = await stream.result();
  expect(status).toBe("completed");
  expect(transcript(messages).at(-1)).toBe("aborted: One. Two. ");
  expect(vi.getTimerCount()).toBe(0);
});

it("ENTRY9 An in-process session refuses limits with on_limit: rest, because its executions end at their limits", () => {
  expect(() => session([], [], { limits: { steps: 1, on_limit: "rest" } })).toThrow(/ends at its limits/);
});
