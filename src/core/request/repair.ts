// Changes a list of messages so that providers accept it: each call is followed by exactly one result, no message is blank, and consecutive
// answers are joined. Applied before every model call and after every hook that may have changed the list, so that no crash, filter or
// deletion makes a thread unusable.

import { isVisible } from "#lib/visible-text.ts";

import type { ModelMessage } from "../ports/model-port.ts";
import type { StoredPart } from "../record/record.ts";
import { errorResult, threadErrorTexts } from "../tools/error-results.ts";
import type { CallErrorTexts } from "../tools/error-results.ts";

/**
 * Contract: pure. Messages keep their order, except that each result is moved after its call. A valid list is returned unchanged. `texts`
 * has the text that the model reads in place of a missing result.
 */
export function repair(messages: readonly ModelMessage[], texts: RepairTexts = threadErrorTexts): ModelMessage[] {
  return new GrowingRepair(texts).add(messages);
}

type RepairTexts = Pick<CallErrorTexts, "lostResult">;

/**
 * Repairs a list to which messages are added, each of them once. The result is that of a repair of the whole list, as long as
 * `hasLostResult` is false before messages are added.
 */
export class GrowingRepair {
  readonly #texts: RepairTexts;
  /** The first result of each call by the call's id, and the ids of the calls so far. */
  readonly #results = new Map<string, ModelMessage>();
  readonly #answered = new Set<string>();
  readonly #repaired: ModelMessage[] = [];
  #hasLostResult = false;

  constructor(texts: RepairTexts = threadErrorTexts) {
    this.#texts = texts;
  }

  /** A call had no result. A message that is added later may be that result, so the whole list has to be repaired again. */
  get hasLostResult(): boolean {
    return this.#hasLostResult;
  }

  /** Adds messages and returns the whole repaired list. */
  add(messages: readonly ModelMessage[]): ModelMessage[] {
    const results = this.#results;
    for (const message of messages) {
      if (message.role !== "tool") continue;
      const id = message.tool_call_id;
      if (id !== null && !results.has(id)) results.set(id, message);
    }
    for (const message of messages) if (message.role !== "tool" && !isEmpty(message)) this.#add(message);
    return [...this.#repaired];
  }

  #add(message: ModelMessage): void {
    const repaired = this.#repaired;
    const hasCalls = containsCall(message);
    const unique = hasCalls ? withoutRepeatedCalls(message, this.#answered) : message;
    if (unique !== message && isEmpty(unique)) return;
    const before = repaired.at(-1);
    if (unique.role === "assistant" && before?.role === "assistant") repaired.splice(-1, 1, joined(before, unique));
    else repaired.push(unique);
    if (hasCalls) for (const part of unique.parts) if (part.type === "tool_call") this.#addResult(part.id, part.name);
  }

  #addResult(callId: string, name: string): void {
    const result = this.#results.get(callId);
    if (result === undefined) this.#hasLostResult = true;
    this.#answered.add(callId);
    this.#repaired.push(result ?? lostResultMessage(callId, name, this.#texts));
  }
}

/** Whether a message has no content. Thinking is no content: providers refuse an answer that has nothing else. */
function isEmpty(message: ModelMessage): boolean {
  for (const part of message.parts) if (!isBlank(part)) return false;
  return true;
}

function isBlank(part: StoredPart): boolean {
  return part.type === "thinking" || (part.type === "text" && !isVisible(part.text));
}

/** Joins two consecutive answers. The first one has no calls, so there are no results between them. */
function joined(first: ModelMessage, second: ModelMessage): ModelMessage {
  const ids = [...(first.joined ?? []), ...(second.id === null ? [] : [second.id]), ...(second.joined ?? [])];
  return { ...first, parts: [...first.parts, ...second.parts], joined: ids };
}

function containsCall({ parts }: ModelMessage): boolean {
  for (const { type } of parts) if (type === "tool_call") return true;
  return false;
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

function lostResultMessage(callId: string, name: string, texts: RepairTexts): ModelMessage {
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
