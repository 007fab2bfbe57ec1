// The events of an execution, and their order.

import { expect, it } from "vitest";

import type { AgentEvent, AgentTool } from "#session/index.ts";

import { add, outline, run, search, session, transcript } from "./support/scripted-session.ts";

it("ENTRY1 An execution emits its messages between session_start and session_end, and their blocks in deltas", async () => {
  const of = session([{ thinking: "A greeting.", text: "Hello to you." }]);
  const { events, result } = await run(of, "Hello");
  expect(outline(events)).toEqual([
    "session_start",
    "message_start",
    "message_end",
    "message_start",
    "thinking_start",
    "thinking_delta",
    "thinking_end",
    "text_start",
    "text_delta",
    "text_end",
    "message_end",
    "session_end",
  ]);
  expect(events[0]).toEqual({ type: "session_start", sessionId: "session-1" });
  expect(deltas(events, "text_delta")).toEqual(["Hello ", "to ", "you."]);
  expect(deltas(events, "thinking_delta").join("")).toBe("A greeting.");
  expect(result.status).toBe("completed");
  expect(transcript(of.messages)).toEqual(["user: Hello", "assistant: (A greeting.) Hello to you."]);
});

it("ENTRY1 The arguments of a call are emitted in several deltas, with the index of the call's block", async () => {
  const call = { name: "search", arguments: { query: "a rather long question" } };
  const { events } = await run(session([{ toolCalls: [call] }, { text: "Done." }], [search]), "Search");
  const pieces = events.filter((event) => event.type === "toolcall_delta");
  expect(pieces.length).toBeGreaterThan(1);
  expect(JSON.parse(pieces.map(({ delta }) => delta).join(""))).toEqual(call.arguments);
  const end = events.find((event) => event.type === "toolcall_end");
  expect(end?.toolCall).toEqual({ id: expect.any(String), ...call });
  expect(new Set(pieces.map(({ index }) => index))).toEqual(new Set([end?.index]));
});

it("ENTRY1 The events of each call have the index of the call's block in the answer", async () => {
  const calls = ["owls", "cats"].map((query) => ({ name: "search", arguments: { query } }));
  const { events } = await run(session([{ text: "I look.", toolCalls: calls }, { text: "Done." }], [search]), "Search");
  const answer = events.flatMap((event) =>
    event.type === "message_end" && event.message.role === "assistant" ? [event.message] : [],
  )[0];
  expect(answer?.content.map(({ type }) => type)).toEqual(["text", "toolCall", "toolCall"]);
  const indexes = (type: AgentEvent["type"]) => [
    ...new Set(events.flatMap((event) => (event.type === type && "index" in event ? [event.index] : []))),
  ];
  for (const type of ["toolcall_start", "toolcall_delta", "toolcall_end"] as const)
    expect(indexes(type)).toEqual([1, 2]);
  for (const event of events) {
    if (event.type === "toolcall_end") expect(answer?.content[event.index]).toMatchObject(event.toolCall);
  }
});

it("ENTRY2 The deltas of a streaming tool are emitted between its start and its end, and its result is a message", async () => {
  const script = [{ toolCalls: [{ name: "search", arguments: { query: "owls" }, id: "call-1" }] }, { text: "None." }];
  const of = session(script, [search]);
  const { events } = await run(of, "Search for owls");
  const [toolCallId] = events.flatMap((event) => (event.type === "toolcall_end" ? [event.toolCall.id] : []));
  const from = events.findIndex(({ type }) => type === "tool_execution_start");
  expect(events.slice(from, from + 6)).toEqual([
    { type: "tool_execution_start", toolCallId, toolName: "search", args: { query: "owls" } },
    { type: "tool_execution_delta", toolCallId, delta: "Searching for " },
    { type: "tool_execution_delta", toolCallId, delta: "owls." },
    { type: "tool_execution_end", toolCallId, output: "Nothing about owls.", details: { count: 0 } },
    { type: "message_start", role: "toolResult" },
    {
      type: "message_end",
      message: {
        role: "toolResult",
        toolCallId,
        toolName: "search",
        content: "Nothing about owls.",
        details: { count: 0 },
        isError: false,
      },
    },
  ]);
  expect(transcript(of.messages)).toEqual([
    "user: Search for owls",
    'assistant: [search {"query":"owls"}]',
    "search: Nothing about owls.",
    "assistant: None.",
  ]);
});

it("ENTRY2 Calls of one answer run one after the other, in call order", async () => {
  const log: string[] = [];
  const logging = {
    ...add,
    async *execute(id: string, { a, b }: { a: number; b: number }) {
      log.push(`begin ${a}`);
      for (let waits = 0; waits < 20; waits += 1) await Promise.resolve();
      log.push(`end ${a}`);
      yield { type: "complete" as const, output: `${a + b}` };
    },
  };
  const toolCalls = [1, 2, 3].map((a) => ({ name: "add", arguments: { a, b: 0 } }));
  const of = session([{ toolCalls }, { text: "Done." }], [logging]);
  await run(of, "Add");
  expect(log).toEqual(["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"]);
  expect(transcript(of.messages).slice(2, 5)).toEqual(["add: 1", "add: 2", "add: 3"]);
});

it("ENTRY2 If a tool throws or ends without a result, the model reads an error as the result of the call", async () => {
  const broken = [
    tool("throws", async function* () {
      yield { type: "delta", delta: "…" };
      throw new Error("The disk is full.");
    }),
    tool("silent", async function* () {
      yield { type: "delta", delta: "…" };
    }),
  ];
  const toolCalls = broken.map(({ name }) => ({ name, arguments: {} }));
  const received: string[] = [];
  const of = session(({ messages, step }) => {
    if (step === 0) return { toolCalls };
    received.push(...messages.filter(({ role }) => role === "tool").map(({ content }) => content));
    return { text: "I see." };
  }, broken);
  const { result } = await run(of, "Try");
  expect(result.status).toBe("completed");
  expect(received).toEqual([
    "The disk is full.",
    expect.stringContaining('The tool "silent" ended without an output.'),
  ]);
  expect(of.messages.filter(({ role }) => role === "toolResult")).toMatchObject([{ isError: true }, { isError: true }]);
});

it("TOOL5 If a tool returns neither a promise of an output nor events, the model reads an error that names these two shapes, and the execution continues", async () => {
  const yielding = (value: unknown) =>
    async function* () {
      yield value as never;
    };
  const wrong = [
    tool("value", (() => 7) as never),
    tool("promise", (() => Promise.resolve("late")) as never),
    tool("nothing", (() => undefined) as never),
    tool("result", (() => Promise.resolve({ status: "success", result: "of another entry" })) as never),
    tool("list", (() => ["words"]) as never),
    tool("words", yielding("words")),
    tool("null", yielding(null)),
    tool("unknown", yielding({ type: "nonsense" })),
    tool("progress", yielding({ type: "progress", data: 1 })),
    tool("empty", yielding({ type: "complete" })),
    tool("yielded", yielding({ status: "success", result: "of another entry" })),
  ];
  const calls = wrong.map(({ name }) => ({ name, arguments: {} }));
  const received: string[] = [];
  const of = session(({ messages, step }) => {
    if (step === 0) return { toolCalls: calls };
    received.push(...messages.filter(({ role }) => role === "tool").map(({ content }) => content));
    return { text: "I see." };
  }, wrong);
  const { result } = await run(of, "Try");
  expect(result.status).toBe("completed");
  const results = of.messages.flatMap((message) => (message.role === "toolResult" ? [message] : []));
  expect(results.map(({ toolName, isError }) => [toolName, isError])).toEqual(wrong.map(({ name }) => [name, true]));
  for (const text of received) {
    expect(text).toContain("execute returns a promise of { output: string, details? }, or an iterable of");
    expect(text).not.toContain("status");
  }
  expect(received).toEqual(results.map(({ content }) => content));
});

it("TOOL5 A tool may return a promise of its output, or an iterable of events of any kind", async () => {
  const complete = { type: "complete" as const, output: "found", details: { hits: 1 } };
  const right = [
    tool("promise", () => Promise.resolve({ output: "found", details: { hits: 1 } })),
    tool("async", async function* () {
      yield { type: "delta", delta: "…" };
      yield complete;
    }),
    tool("sync", function* () {
      yield { type: "delta", delta: "…" };
      yield complete;
    }),
    tool("list", () => [complete]),
  ];
  const toolCalls = right.map(({ name }) => ({ name, arguments: {} }));
  const of = session([{ toolCalls }, { text: "I see." }], right);
  await run(of, "Try");
  expect(of.messages.filter(({ role }) => role === "toolResult")).toMatchObject(
    right.map(({ name }) => ({ toolName: name, isError: false, content: "found", details: { hits: 1 } })),
  );
});

function tool(name: string, execute: NonNullable<AgentTool["execute"]>) {
  return { name, label: name, parameters: { type: "object" }, execute };
}

function deltas(events: readonly AgentEvent[], type: "text_delta" | "thinking_delta"): string[] {
  return events.flatMap((event) => (event.type === type ? [event.delta] : []));
}
