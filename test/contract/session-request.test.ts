// Execute requests, and the conversion between messages of a session and messages of a thread.

import fc from "fast-check";
import { expect, it } from "vitest";

import { executeRequestSchema } from "#contract/session/execute-request.ts";
import type { ContextMessage } from "#contract/session/execute-request.ts";
import { initialTranscript, inputContent, postedResult } from "#contract/session/initial-transcript.ts";
import { sessionMessageSchema } from "#contract/session/session-message.ts";
import { toSessionMessage } from "#contract/session/session-transcript.ts";
import { sessionStatus } from "#contract/session/session-view.ts";
import type { Message } from "#contract/thread-message.ts";
import { executeInput } from "#dialect/session/execute-input.ts";

import { messageAt } from "./support/story.ts";

const input = { role: "user", content: "Hello" };

/** The paths of refused fields; empty for a request that is accepted. */
function refusedAt(body: object): string[] {
  const parsed = executeRequestSchema.safeParse(body);
  return parsed.success ? [] : parsed.error.issues.map(({ path }) => path.join("."));
}

function read(body: object) {
  return executeInput(executeRequestSchema.parse(body));
}

it("SESSION8 A request means the same in camelCase and in snake_case", () => {
  const context = { messages: [], tools: [{ name: "far", parameters: { type: "object" } }] };
  const camel = {
    sessionId: "a:1",
    input,
    context: { ...context, systemPrompt: "Be kind.", tools: [{ ...context.tools[0], deadlineMs: 5 }] },
    options: { model: "small", maxTokens: 9, reasoning: { effort: "low", maxTokens: 7 }, limits: { steps: 2 } },
  };
  const snake = {
    session_id: "a:1",
    input,
    context: { ...context, system_prompt: "Be kind.", tools: [{ ...context.tools[0], deadline_ms: 5 }] },
    options: { model: "small", max_tokens: 9, reasoning: { effort: "low", max_tokens: 7 }, limits: { steps: 2 } },
  };
  expect(read(camel)).toEqual(read(snake));
  expect(read(camel)).toEqual({
    session_id: "a:1",
    input,
    context: {
      agent: null,
      system_prompt: "Be kind.",
      messages: [],
      tools: [{ name: "far", description: "far", parameters: { type: "object" }, deadline_ms: 5 }],
    },
    options: { model: "small", max_tokens: 9, reasoning: { effort: "low", maxTokens: 7 } },
    limits: { steps: 2 },
  });
  expect(refusedAt({ ...camel, session_id: "a:1" })).toEqual(["sessionId"]);
  expect(refusedAt({ ...camel, options: { maxTokens: 1, max_tokens: 1 } })).toEqual(["options.maxTokens"]);
  expect(read({ input })).toEqual({ session_id: null, input, context: null, options: {}, limits: null });
});

it("SESSION8 An invalid request body is refused, and the error names the invalid field", () => {
  for (const id of ["", "a b", "a/b", "ä", "a\n", "\u0000", "..%2f", "x".repeat(129), 7, null]) {
    expect(refusedAt({ input, sessionId: id })).toContain("sessionId");
  }
  expect(refusedAt({ input, sessionId: "x".repeat(128) })).toEqual([]);
  expect(refusedAt({})).toContain("input");
  expect(refusedAt({ input, more: 1 })).toEqual([""]);
  for (const name of ["", "__proto__", "a b", "1a", "a".repeat(65), "é"]) {
    expect(refusedAt({ input, context: { tools: [{ name }] } })).toEqual(["context.tools.0.name"]);
  }
  for (const temperature of [-1, 3, Number.NaN, "1"]) {
    expect(refusedAt({ input, options: { temperature } })).toEqual(["options.temperature"]);
  }
  for (const wrong of [
    { role: "toolResult", toolCallId: "c", toolName: "far" },
    { role: "toolResult", toolCallId: "c", toolName: "far", content: "a", output: "a" },
  ]) {
    expect(executeRequestSchema.safeParse({ input: [wrong] }).success).toBe(false);
  }
  expect(executeRequestSchema.safeParse({ input: [] }).success).toBe(false);
});

const word = fc.string({ unit: fc.constantFrom("a", "é", "漢", " ", "\n"), minLength: 1, maxLength: 10 });
const called = fc.record({ tool: word, result: word, isError: fc.boolean(), said: fc.option(word, { nil: "" }) });
const turn = fc.record({ requested: word, calls: fc.array(called, { maxLength: 3 }), answer: word });

/** A complete conversation. */
const conversation = fc.array(turn, { maxLength: 4 }).map((turns) =>
  turns.flatMap(({ requested, calls, answer }, at): ContextMessage[] => [
    { role: "user", content: requested },
    ...(calls.length === 0 ? [] : [callingMessage(calls, at)]),
    ...calls.map(({ tool, result, isError }, index): ContextMessage => {
      return { role: "toolResult", toolCallId: `c${at}.${index}`, toolName: tool, content: result, isError };
    }),
    { role: "assistant", content: [{ type: "text", text: answer }], stopReason: "stop" },
  ]),
);

function callingMessage(calls: readonly { tool: string }[], at: number): ContextMessage {
  const content = calls.map(({ tool }, index) => {
    return { type: "toolCall" as const, id: `c${at}.${index}`, name: tool, arguments: { index } };
  });
  return { role: "assistant", content, stopReason: "tool_calls" };
}

/** The stored messages in the form in which the thread shows them. */
function shown(messages: readonly ContextMessage[]): Message[] {
  const stored = initialTranscript(messages);
  if (!Array.isArray(stored)) throw new Error(stored.message);
  return stored.map((message, at) => {
    if (message.role === "user") {
      const text = typeof message.content === "string" ? message.content : "";
      return messageAt(at, { role: "user", content: text, parts: [{ type: "text", text }] });
    }
    if (message.role === "assistant") return messageAt(at, { parts: message.parts, stop_reason: message.stop_reason });
    const { tool_call_id, name, result } = message;
    return messageAt(at, { role: "tool", tool_call_id, name, result });
  });
}

it("SESSION9 The conversion of a transcript to messages and back gives the same transcript", () => {
  fc.assert(
    fc.property(conversation, (messages) => {
      const back = shown(messages).map((message) => toSessionMessage(message, { providers: new Map() }));
      expect(back).toMatchObject(messages);
      for (const message of back) expect(sessionMessageSchema.parse(message)).toEqual(message);
      // The messages that a session shows may begin another session.
      expect(executeRequestSchema.safeParse({ input, context: { messages: back } }).error).toBeUndefined();
    }),
  );
});

it("SESSION9 Calls without a result and results without a call are refused, and the refusal names the position of the message", () => {
  const call: ContextMessage = callingMessage([{ tool: "far" }], 0);
  const result: ContextMessage = { role: "toolResult", toolCallId: "c0.0", toolName: "far", content: "x" };
  const said: ContextMessage = { role: "user", content: "Hello" };
  const cases: [ContextMessage[], number][] = [
    [[said, result], 1],
    [[call], 0],
    [[said, call, said, result], 1],
    [[call, result, result], 2],
    [[call, result, call, result], 2],
  ];
  for (const [messages, index] of cases) expect(initialTranscript(messages)).toMatchObject({ index });
  expect(initialTranscript([call, result])).toHaveLength(2);
});

it("SESSION9 A partial answer in a transcript becomes a message with its text and without its calls, and an error without text is dropped", () => {
  const partial = { role: "assistant" as const, content: [{ type: "text" as const, text: "half" }] };
  const calling = callingMessage([{ tool: "far" }], 0);
  const whole =
    calling.role === "assistant" ? { ...partial, content: [...partial.content, ...calling.content] } : partial;
  const messages = initialTranscript([
    { role: "error", error: "It broke." },
    { role: "error", error: "It broke.", partial: whole },
    { role: "aborted", partial },
  ]);
  const parts = [{ type: "text", text: "half" }];
  expect(messages).toEqual([
    { role: "assistant", parts, stop_reason: "error", index: 1 },
    { role: "assistant", parts, stop_reason: "aborted", index: 2 },
  ]);
});

it("SESSION9 Images and tool results of a session become parts and results of a thread, and a stored image becomes a file of the session", () => {
  const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
  expect(inputContent({ role: "user", content: [{ type: "text", text: "See" }, image] })).toEqual([
    { type: "text", text: "See" },
    { type: "image", data: "aGk=", mime_type: "image/png" },
  ]);
  const result = { role: "toolResult" as const, toolCallId: "c1", toolName: "far" };
  expect(postedResult({ ...result, output: "it" })).toEqual({ tool_call_id: "c1", content: "it" });
  expect(postedResult({ ...result, content: [{ type: "text", text: "it" }], details: 1 })).toEqual({
    tool_call_id: "c1",
    content: "it",
    details: 1,
  });
  expect(postedResult({ ...result, content: "no", isError: true })).toEqual({ tool_call_id: "c1", error: "no" });
  const stored = messageAt(1, {
    role: "user",
    content: "See",
    parts: [
      { type: "text", text: "See" },
      { type: "image", mime_type: "image/png", path: "/attachments/a.png" },
    ],
  });
  expect(toSessionMessage(stored, { providers: new Map() })).toEqual({
    role: "user",
    content: [
      { type: "text", text: "See" },
      { type: "file", path: "/attachments/a.png", mimeType: "image/png" },
    ],
  });
});

it("SESSION7 A session has the status completed if its thread is idle or its run is completed, stopped or at a limit", () => {
  expect(["idle", "completed", "stopped", "limit"].map((status) => sessionStatus(status as "idle"))).toEqual(
    Array.from({ length: 4 }, () => "completed"),
  );
  expect(["running", "queued"].map((status) => sessionStatus(status as "running"))).toEqual(["running", "running"]);
  expect(sessionStatus("awaiting_tool_execution")).toBe("awaiting_tool_execution");
  expect(sessionStatus("error")).toBe("error");
});
