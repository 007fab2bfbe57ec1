// Makes a list of messages one that providers accept: every call is followed by exactly one result of its own, nothing
// else stands between them, no answer is blank, and answers that follow each other are one. Applied before every model call and after every hook that may have
// cut the list, so that no cut of a run, a filter or a deletion can make a thread unusable.

import type { ModelMessage } from "./ports/model-port.ts";
import { errorResult } from "./tools/error-results.ts";

const lostResult = errorResult("This call has no result: it was interrupted or removed.");

/** Contract: pure; keeps the order of what it keeps; a well-formed list comes back unchanged. */
export function repair(messages: readonly ModelMessage[]): ModelMessage[] {
  const results = new Map<string, ModelMessage>();
  for (const message of messages) {
    const id = message.tool_call_id;
    if (message.role === "tool" && id !== null && !results.has(id)) results.set(id, message);
  }
  const repaired: ModelMessage[] = [];
  const answered = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool" || isEmpty(message)) continue;
    const own = withoutRepeatedCalls(message, answered);
    if (isEmpty(own)) continue;
    const before = repaired.at(-1);
    if (own.role === "assistant" && before?.role === "assistant") repaired.splice(-1, 1, joined(before, own));
    else repaired.push(own);
    for (const part of own.parts) {
      if (part.type !== "tool_call") continue;
      answered.add(part.id);
      repaired.push(results.get(part.id) ?? lost(part.id, part.name));
    }
  }
  return repaired;
}

/** Thinking alone is no message either, signed or not: providers refuse an answer that says nothing. */
function isEmpty(message: ModelMessage): boolean {
  return message.parts.every((part) => part.type === "thinking" || (part.type === "text" && part.text.trim() === ""));
}

/** Two answers in a row: the first called no tool, so nothing stands between them. */
function joined(first: ModelMessage, second: ModelMessage): ModelMessage {
  const ids = [...(first.joined ?? []), ...(second.id === null ? [] : [second.id]), ...(second.joined ?? [])];
  return { ...first, parts: [...first.parts, ...second.parts], joined: ids };
}

/** A call id that was answered before cannot be asked again. */
function withoutRepeatedCalls(message: ModelMessage, answered: ReadonlySet<string>): ModelMessage {
  const asked = new Set(answered);
  const parts = message.parts.filter((part) => {
    if (part.type !== "tool_call") return true;
    const isNew = !asked.has(part.id);
    asked.add(part.id);
    return isNew;
  });
  return parts.length === message.parts.length ? message : { ...message, parts };
}

function lost(callId: string, name: string): ModelMessage {
  return {
    id: null,
    role: "tool",
    parts: [{ type: "text", text: lostResult.error ?? "" }],
    name,
    tool_call_id: callId,
    result: lostResult,
  };
}
