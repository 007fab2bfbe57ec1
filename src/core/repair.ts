// Changes a list of messages so that providers accept it: each call is followed by exactly one result, no answer is blank, and
// consecutive answers are joined. Applied before every model call and after every hook that may have changed the list, so that no crash,
// filter or deletion makes a thread unusable.

import type { ModelMessage } from "./ports/model-port.ts";
import type { StoredPart } from "./record.ts";
import { errorResult, threadErrorTexts } from "./tools/error-results.ts";
import type { CallErrorTexts } from "./tools/error-results.ts";

/**
 * Contract: pure. Messages keep their order, and a valid list is returned unchanged. `texts` has the text that the model reads in place of a
 * missing result.
 */
export function repair(
  messages: readonly ModelMessage[],
  texts: Pick<CallErrorTexts, "lostResult"> = threadErrorTexts,
): ModelMessage[] {
  const results = new Map<string, ModelMessage>();
  for (const message of messages) {
    if (message.role !== "tool") continue;
    const id = message.tool_call_id;
    if (id !== null && !results.has(id)) results.set(id, message);
  }
  const repaired: ModelMessage[] = [];
  const answered = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool" || isEmpty(message)) continue;
    const hasCalls = message.parts.some(isCall);
    const unique = hasCalls ? withoutRepeatedCalls(message, answered) : message;
    if (unique !== message && isEmpty(unique)) continue;
    const before = repaired.at(-1);
    if (unique.role === "assistant" && before?.role === "assistant") repaired.splice(-1, 1, joined(before, unique));
    else repaired.push(unique);
    if (!hasCalls) continue;
    for (const part of unique.parts) {
      if (part.type !== "tool_call") continue;
      answered.add(part.id);
      repaired.push(results.get(part.id) ?? lostResultMessage(part.id, part.name, texts));
    }
  }
  return repaired;
}

/** Whether a message has no content. Thinking is no content: providers refuse an answer that has nothing else. */
function isEmpty(message: ModelMessage): boolean {
  return message.parts.every(isBlank);
}

function isBlank(part: StoredPart): boolean {
  return part.type === "thinking" || (part.type === "text" && part.text.trim() === "");
}

/** Joins two consecutive answers. The first one has no calls, so there are no results between them. */
function joined(first: ModelMessage, second: ModelMessage): ModelMessage {
  const ids = [...(first.joined ?? []), ...(second.id === null ? [] : [second.id]), ...(second.joined ?? [])];
  return { ...first, parts: [...first.parts, ...second.parts], joined: ids };
}

function isCall({ type }: StoredPart): boolean {
  return type === "tool_call";
}

/** Removes calls whose id an earlier call has. */
function withoutRepeatedCalls(message: ModelMessage, answered: ReadonlySet<string>): ModelMessage {
  const ids = new Set<string>();
  const parts = message.parts.filter((part) => {
    if (part.type !== "tool_call") return true;
    const isNew = !answered.has(part.id) && !ids.has(part.id);
    ids.add(part.id);
    return isNew;
  });
  return parts.length === message.parts.length ? message : { ...message, parts };
}

function lostResultMessage(callId: string, name: string, texts: Pick<CallErrorTexts, "lostResult">): ModelMessage {
  const text = texts.lostResult(name);
  return {
    id: null,
    role: "tool",
    parts: [{ type: "text", text }],
    name,
    tool_call_id: callId,
    result: errorResult(text),
  };
}
