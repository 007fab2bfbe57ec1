// The stored form of events. A stored event omits data that the row of a message, a run or a call contains; replay adds it again. So a long
// answer is stored once, and replay is a pure function of rows.

import type { AwaitedCall, EventDraft, PlainEvent, ThreadEvent } from "#contract/event.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import type { Message } from "#contract/thread-message.ts";
import type { PendingCall, Thread } from "#contract/thread.ts";
import { textOrJson } from "#lib/json-value.ts";

import type { MessageRecord, StoredEvent } from "./record.ts";
import type { RunRecord } from "./run-record.ts";
import { textOf, toMessage, toRun } from "./view.ts";

/** The omitted fields of each event type. */
export const leftOut: Partial<Record<ThreadEvent["type"], readonly string[]>> = {
  message_end: ["message"],
  message_updated: ["message"],
  // Its title and its last message may be texts that a hook or a user changed later.
  thread_updated: ["thread"],
  text_delta: ["delta"],
  text_end: ["text"],
  thinking_delta: ["delta"],
  thinking_end: ["thinking"],
  reasoning: ["text"],
  toolcall_delta: ["delta"],
  toolcall_end: ["tool_call"],
  provider_tool_start: ["part"],
  provider_tool_end: ["part"],
  tool_execution_start: ["args"],
  tool_execution_end: ["result"],
  subagent_end: ["result", "error"],
  // Only the arguments of its `tool_calls` are omitted.
  awaiting_tool_execution: [],
  branch_changed: ["messages", "thread"],
  run_end: ["outcome", "data", "usage", "cost", "message_ids", "error"],
};

/**
 * Returns the event with its fields in the order in which they are sent, live and on replay: first the fields of every event, last those
 * that the stored form omits. The order is for human readers.
 */
export function inSentOrder(
  own: Pick<PlainEvent, "seq" | "thread_id" | "at">,
  { type, ...fields }: EventDraft,
): PlainEvent {
  const event: Record<string, unknown> = { seq: own.seq, type, thread_id: own.thread_id, at: own.at };
  const last = leftOut[type];
  // This runs for every delta, so it creates no lists or sets.
  const given: Record<string, unknown> = fields;
  for (const field of Object.keys(given)) if (last?.includes(field) !== true) event[field] = given[field];
  for (const field of Object.keys(given)) if (last?.includes(field) === true) event[field] = given[field];
  return event as unknown as PlainEvent;
}

/** The stored form of an event. */
export function toStored(event: PlainEvent): StoredEvent {
  const omitted = isOwnEnd(event) ? undefined : leftOut[event.type];
  const { thread_id: _, prev: __, ...kept } = event;
  const stored = kept as unknown as StoredEvent;
  for (const field of omitted ?? []) delete stored[field];
  if (event.type !== "awaiting_tool_execution") return stored;
  // The arguments of calls are omitted, because they may be of any size and a run may be suspended often. The messages with the calls
  // contain them. Limits and calls of child threads have no message in this thread, so their arguments are stored.
  const isElsewhere = ({ kind, thread_id }: AwaitedCall) => kind === "limit" || thread_id !== undefined;
  const calls = event.tool_calls.map((call) => (isElsewhere(call) ? call : withoutArguments(call)));
  return { ...stored, tool_calls: calls as unknown as Json };
}

/** Returns the call without its arguments, which may be of any size. The message with the call has them. */
export function withoutArguments(call: PendingCall): PendingCall {
  const { arguments: _, ...pending } = call;
  return pending;
}

/**
 * Whether the event ends an execution that a tool's function started. The result of such an execution is not the call's result. A nested
 * loop, in contrast, has the id of its call's message as `subagent_id`.
 */
function isOwnEnd(event: PlainEvent | StoredEvent): boolean {
  return event.type === "subagent_end" && !("child_thread_id" in event) && event.subagent_id !== event.message_id;
}

/** The rows in which replay finds the omitted data. */
export interface EventSource {
  threadId: string;
  /** The thread as it is now. */
  thread(): Thread;
  message(id: string): MessageRecord | undefined;
  /** The messages of a branch after a position that were stored before an event number, as `branch_changed` shows them. */
  branchMessages(branch: string, after: string, before: number): Message[];
  /** The assistant message with the call that the tool message belongs to. */
  callMessage(callId: string, toolMessageId: string): MessageRecord | undefined;
  run(id: string): RunRecord | undefined;
}

/** The complete event; null if its row was deleted. */
export function fromStored(stored: StoredEvent, source: EventSource): PlainEvent | null {
  const missing = leftOut[stored.type];
  const { seq, type, at, ...fields } = stored;
  const whole = { seq, type, thread_id: source.threadId, at, ...fields };
  if (missing === undefined) return whole as unknown as PlainEvent;
  const found = lookUp(stored, source);
  return found === null ? null : ({ ...whole, ...found } as unknown as PlainEvent);
}

function lookUp(stored: StoredEvent, source: EventSource): Record<string, unknown> | null {
  const message = source.message(text(stored["message_id"]));
  const part = message?.parts[Number(stored["index"] ?? 0)];
  switch (stored.type) {
    case "message_end":
    case "message_updated":
      return message === undefined ? null : { message: toMessage(message) };
    case "thread_updated":
      return { thread: { ...source.thread(), last_seq: stored.seq - 1 } };
    case "branch_changed": {
      const messages = source.branchMessages(text(stored["branch_id"]), text(stored["after"]), stored.seq);
      return { messages, thread: { ...source.thread(), last_seq: stored.seq - 1 } };
    }
    case "reasoning":
      return message === undefined ? null : { text: textOf(message.parts) ?? "" };
    case "text_delta":
      return part?.type === "text" ? { delta: part.text } : null;
    case "text_end":
      return part?.type === "text" ? { text: part.text } : null;
    case "thinking_delta":
      return part?.type === "thinking" ? { delta: part.thinking } : null;
    case "thinking_end":
      return part?.type === "thinking" ? { thinking: part.thinking } : null;
    case "toolcall_delta":
      return part?.type === "tool_call" ? { delta: textOrJson(part.arguments) } : null;
    case "toolcall_end": {
      if (part?.type !== "tool_call") return null;
      const { type: _, provider_data: __, ...call } = part;
      return { tool_call: call };
    }
    case "provider_tool_start":
    case "provider_tool_end": {
      if (part?.type !== "provider_tool") return null;
      const { provider_data: _, output, is_error, ...call } = part;
      const result = { ...(output === undefined ? {} : { output }), ...(is_error === undefined ? {} : { is_error }) };
      return { part: stored.type === "provider_tool_start" ? call : { ...call, ...result } };
    }
    case "tool_execution_start": {
      const changed = message?.approval?.args ?? message?.changed_args;
      if (changed !== undefined) return { args: changed };
      const args = argumentsOf(text(stored["tool_call_id"]), text(stored["message_id"]), source);
      return args === undefined ? null : { args };
    }
    case "awaiting_tool_execution":
      return { tool_calls: awaited(stored["tool_calls"], source) };
    case "tool_execution_end":
      return message?.result == null ? null : { result: message.result };
    case "subagent_end": {
      if (isOwnEnd(stored)) return {};
      // The event has the result of its call, if the call has one.
      const { result, error } = message?.result ?? {};
      return { ...(result === undefined ? {} : { result }), ...(error === undefined ? {} : { error }) };
    }
    case "run_end": {
      const run = source.run(text(stored["run_id"]));
      if (run === undefined) return null;
      const { outcome, data, usage, cost, message_ids, error } = toRun(run);
      return { outcome, ...(data === undefined ? {} : { data }), usage, cost, message_ids, error };
    }
    default:
      return {};
  }
}

/** The arguments of a call. */
function argumentsOf(callId: string, toolMessageId: string, source: EventSource): JsonObject | string | undefined {
  const answer = source.callMessage(callId, toolMessageId);
  const call = answer?.parts.find((one) => one.type === "tool_call" && one.id === callId);
  return call?.type === "tool_call" ? call.arguments : undefined;
}

/** The calls that a run waits for, with their arguments. A call whose message was deleted has none. */
function awaited(calls: Json | undefined, source: EventSource): Json {
  return (Array.isArray(calls) ? calls : []).flatMap((call) => {
    if (typeof call !== "object" || call === null || Array.isArray(call) || "arguments" in call) return [call];
    const [id, under] = [text(call["id"]), text(call["message_id"])];
    const args = "thread_id" in call ? undefined : argumentsOf(id, under, source);
    return [{ ...call, ...(args === undefined ? {} : { arguments: args }) }];
  });
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
