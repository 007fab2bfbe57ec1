// The chunks of a UI message stream, event by event: what is sent again, retracted, awaited or running.

import { expect, it } from "vitest";

import type { EventDraft, ThreadEvent } from "#contract/event.ts";
import { UiStream } from "#dialect/ai-sdk/ui-stream.ts";
import type { UiChunk } from "#dialect/ai-sdk/ui-stream.ts";

import { messageRecord } from "../support/records.ts";

function newStream(knownCalls: string[] = []): UiStream {
  return new UiStream({ prefix: "", threadId: "t", runId: "r", knownCalls, isServerTool: (name) => name === "own" });
}

let seq = 0;
const event = (draft: EventDraft): ThreadEvent => ({ ...draft, seq: (seq += 1), thread_id: "t", at: 0 }) as ThreadEvent;

function chunksOf(stream: UiStream, drafts: object[]): UiChunk[] {
  return drafts.flatMap((draft) => stream.take(event({ run_id: "r", message_id: "m", ...draft } as EventDraft)));
}

const typesOf = (chunks: UiChunk[]): string[] => chunks.map(({ type }) => type);
const call = { id: "c", name: "own" };
const end = { type: "run_end", status: "completed", reason: null, outcome: null, error: null, message_ids: [] };

it("AISDK12 Each character of a text is sent to the chat once, also if events are repeated", () => {
  const delta = (offset: number, text: string) => ({ type: "text_delta", index: 0, offset, delta: text });
  const start = { type: "text_start", index: 0 };
  const texts = [start, delta(0, "ab"), start, delta(1, "bc"), delta(0, "abcd"), delta(2, "c")];
  const chunks = chunksOf(newStream(), [...texts, { type: "text_end", index: 0, text: "abcdef" }, delta(0, "abcdef")]);
  const deltas = chunks.map(({ delta: piece }) => piece).filter((piece) => piece !== undefined);
  expect(deltas).toEqual(["ab", "c", "d", "ef"]);
  expect(typesOf(chunks).filter((type) => !type.endsWith("delta"))).toEqual(["text-start", "text-end"]);
});

it("AISDK12 A block without deltas is sent as a whole", () => {
  const chunks = chunksOf(newStream(), [{ type: "thinking_end", index: 0, thinking: "Hm." }]);
  expect(typesOf(chunks)).toEqual(["reasoning-start", "reasoning-delta", "reasoning-end"]);
});

it("AISDK12 Arguments of a call are sent while the model writes them, and then as a whole", () => {
  const start = { type: "toolcall_start", index: 1, tool_call: call };
  const delta = (offset: number, text: string) => ({ type: "toolcall_delta", index: 1, offset, delta: text });
  const whole = { type: "toolcall_end", index: 1, tool_call: { ...call, arguments: { a: 1 } } };
  expect(chunksOf(newStream(), [start, delta(0, '{"a'), delta(2, 'a":1}'), whole, start, whole])).toEqual([
    { type: "tool-input-start", toolCallId: "c", toolName: "own", providerExecuted: true },
    { type: "tool-input-delta", toolCallId: "c", inputTextDelta: '{"a' },
    { type: "tool-input-delta", toolCallId: "c", inputTextDelta: '":1}' },
    { type: "tool-input-available", toolCallId: "c", toolName: "own", providerExecuted: true, input: { a: 1 } },
  ]);
});

it("AISDK12 Output of a running tool is sent in chunks whose total length stays proportional to the output", () => {
  const begun = { type: "tool_execution_start", tool_call_id: "c", tool_name: "own", args: {} };
  const drafts = Array.from({ length: 2000 }, (_, at) => ({
    type: "tool_execution_delta",
    tool_call_id: "c",
    tool_name: "own",
    offset: at * 5,
    delta: "abcde",
  }));
  const outputs = chunksOf(newStream(), [begun, ...drafts]).slice(1);
  expect(outputs[0]).toEqual({ type: "tool-output-available", toolCallId: "c", output: "abcde", preliminary: true });
  const sent = outputs.reduce((sum, { output }) => sum + String(output).length, 0);
  expect(sent).toBeLessThan(6 * 10_000);
});

it("AISDK12 The data of a structured answer is a transient data part before the end of the chat's stream", () => {
  const chunks = chunksOf(newStream(), [
    { type: "text_end", index: 0, text: '{"a":1}' },
    { ...end, data: { a: 1 } },
  ]);
  expect(chunks.slice(-2)).toEqual([
    { type: "data-answer", data: { a: 1 }, transient: true },
    { type: "finish", finishReason: "stop" },
  ]);
});

it("AISDK8 A retracted answer's text is ended, its calls get errors, and a data part states that it was retracted", () => {
  const stream = newStream();
  const chunks = chunksOf(stream, [
    { type: "text_delta", index: 0, offset: 0, delta: "half" },
    { type: "toolcall_end", index: 1, tool_call: { ...call, arguments: {} } },
    { type: "toolcall_start", index: 2, tool_call: { id: "d", name: "far" } },
    { type: "message_retracted", reason: "recovery" },
    { type: "text_delta", index: 0, offset: 0, delta: "late" },
  ]);
  expect(typesOf(chunks).slice(4)).toEqual(["text-end", "tool-input-error", "tool-output-error", "data-retracted"]);
});

it("AISDK5 A pending call outside the chat's messages, such as one of a child thread or of a limit, is sent as a data part", () => {
  const stream = newStream(["c"]);
  const pending = { name: "x", kind: "approval", deadline: null };
  const chunks = chunksOf(stream, [
    {
      type: "awaiting_tool_execution",
      tool_calls: [
        { ...pending, id: "c" },
        { ...pending, id: "child's" },
        { ...pending, id: "l", name: "limit", kind: "limit" },
      ],
    },
    end,
  ]);
  expect(chunks).toEqual([
    { type: "tool-approval-request", approvalId: "c", toolCallId: "c" },
    { type: "data-pending-call", id: "child's", data: { id: "child's", name: "x", kind: "approval", input: {} } },
    { type: "data-pending-call", id: "l", data: { id: "l", name: "limit", kind: "limit", input: {} } },
    { type: "finish", finishReason: "tool-calls" },
  ]);
  expect(stream.isOver).toBe(true);
});

it("AISDK5 A stream continues after an awaiting_tool_execution event without open calls, such as after the answer to a child's call", () => {
  const stream = newStream();
  const chunks = chunksOf(stream, [{ type: "awaiting_tool_execution", tool_calls: [] }, end]);
  expect(chunks).toEqual([{ type: "finish", finishReason: "stop" }]);
});

it("AISDK12 The result of a call is sent together with the call if the chat does not have the call yet", () => {
  const result = { status: "success" as const, result: "done" };
  const message = messageRecord({ id: "m", role: "tool", tool_call_id: "c", name: "far", result });
  expect(chunksOf(newStream(), [{ type: "message_end", message }])).toEqual([
    { type: "tool-input-available", toolCallId: "c", toolName: "far", input: {} },
    { type: "tool-output-available", toolCallId: "c", output: "done" },
  ]);
});

it("AISDK12 Events of other runs and of nested loops are not sent to the chat, and the status of the run determines the last chunk", () => {
  const nested = { type: "text_delta", index: 0, offset: 0, delta: "nested", depth: 1 };
  const other = { type: "text_delta", index: 0, offset: 0, delta: "other", run_id: "another" };
  expect(chunksOf(newStream(), [nested, other])).toEqual([]);
  const finishes = ["completed", "limit", "stopped"].map((status) => chunksOf(newStream(), [{ ...end, status }]));
  expect(finishes).toEqual([
    [{ type: "finish", finishReason: "stop" }],
    [{ type: "finish", finishReason: "other" }],
    [{ type: "abort", reason: "stopped" }],
  ]);
  expect(newStream().fail("gone")).toEqual([{ type: "error", errorText: "gone" }]);
});

it("AISDK20 A tool that the provider executed is a call with its result that no client executes", () => {
  const part = { type: "provider_tool", id: "s1", name: "web_search", input: { query: "rain" } };
  const begun = { type: "provider_tool_start", index: 0, part };
  const stream = newStream();
  const chunks = chunksOf(stream, [begun, { type: "provider_tool_end", index: 0, part: { ...part, output: ["a"] } }]);
  const input = { type: "tool-input-available", toolCallId: "s1", toolName: "web_search", input: part.input };
  const output = { type: "tool-output-available", toolCallId: "s1", output: ["a"] };
  const executed = { providerExecuted: true };
  expect(chunks).toEqual([input, input, output].map((chunk) => ({ ...chunk, ...executed })));
  const failed = { ...part, id: "s2", output: { error_code: "max_uses_exceeded" }, is_error: true };
  expect(chunksOf(stream, [{ type: "provider_tool_end", index: 1, part: failed }]).at(-1)).toMatchObject({
    type: "tool-output-error",
    toolCallId: "s2",
    errorText: '{"error_code":"max_uses_exceeded"}',
  });
  // An answer that ends before the result.
  const open = newStream();
  chunksOf(open, [begun]);
  const message = { ...messageRecord({ id: "m", role: "assistant" }), parts: [part] };
  expect(chunksOf(open, [{ type: "message_end", message }])).toMatchObject([
    { type: "tool-output-error", toolCallId: "s1" },
  ]);
});
