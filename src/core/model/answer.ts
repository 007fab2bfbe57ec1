// Assembles a model's answer from its parts and tells what is seen of it, block by block.

import { keptBounds } from "#contract/json.ts";
import type { JsonObject } from "#contract/json.ts";
import type { StopReason } from "#contract/message.ts";
import { parseBoundedJson } from "#lib/bounded-json.ts";

import { jsonBytes } from "../cut-text.ts";
import type { EventList } from "../event-list.ts";
import type { ModelFailure, ModelFinish, ModelPart } from "../ports/model-port.ts";
import type { StoredPart } from "../record.ts";

/** Bytes of JSON that the parts of an answer may come to: its message has to fit a row. Pictures are stored as files. */
const longestAnswer = 1_500_000;

/** Calls of an answer: each is a row, and each of them may have to wait for all before it. */
const mostCalls = 2000;

/** Bytes of a part in addition to its text: its braces, the names of its fields. */
const partBytes = 100;

/** How much of a raw answer the log keeps, in UTF-16 units. */
const rawLimit = 256 * 1024;

interface OpenBlock {
  kind: "text" | "thinking" | "toolcall";
  text: string;
  redacted: boolean;
  /** Bytes of its words as JSON. */
  bytes: number;
}

/** Parses tool arguments; anything but an object stays the string it was, marked invalid. */
export function parseArguments(json: string): { arguments: JsonObject | string; invalid?: true } {
  if (json.trim() === "") return { arguments: {} };
  try {
    const value = parseBoundedJson(json, keptBounds);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { arguments: value as JsonObject };
    }
  } catch {
    // The text is not JSON or exceeds the bounds: the call gets an error that the model can read.
  }
  return { arguments: json, invalid: true };
}

/** How an answer is shown, and where it stands. */
export interface AnswerManner {
  hideThinking: boolean;
  role: "assistant" | "user";
  /** The message it hangs under; null on the run's own line. */
  parentId: string | null;
}

/** One attempt's answer as it grows. Blocks are told only while `visible`. */
export class Answer {
  /** Also its position: an answer takes its place when it begins. */
  readonly messageId: string;
  readonly #events: EventList;
  readonly #manner: AnswerManner;
  readonly #parts = new Map<number, StoredPart>();
  readonly #open = new Map<number, OpenBlock>();
  #started = false;
  #full = false;
  /** Bytes of the parts so far. */
  #bytes = 0;
  #calls = 0;
  #raw = "";
  finish: ModelFinish | null = null;
  failure: ModelFailure | null = null;

  constructor(messageId: string, events: EventList, manner: AnswerManner) {
    this.messageId = messageId;
    this.#events = events;
    this.#manner = manner;
  }

  /** True once a subscriber was told of this message. */
  get shown(): boolean {
    return this.#started;
  }

  /** True once something was left out, because a row takes no more. */
  get full(): boolean {
    return this.#full;
  }

  /** What the provider sent, up to 256 KiB. */
  get raw(): string {
    return this.#raw;
  }

  /** Tells the message's beginning, once. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    const { role, parentId } = this.#manner;
    this.#events.tell({
      type: "message_start",
      role,
      message_id: this.messageId,
      position: this.messageId,
      ...(parentId === null ? {} : { parent_id: parentId }),
    });
  }

  /** Takes the next part. */
  take(part: ModelPart): void {
    switch (part.type) {
      case "text_start":
      case "thinking_start":
        this.#begin(part);
        return;
      case "text_delta":
      case "thinking_delta":
      case "toolcall_delta":
        this.#grow(part.index, part.delta);
        return;
      case "text_end":
      case "thinking_end":
        this.#end(part.index, part.provider_data);
        return;
      case "toolcall_start":
        this.#begin(part);
        this.#events.tell({
          type: "toolcall_start",
          message_id: this.messageId,
          index: part.index,
          tool_call: { id: part.id, name: part.name },
        });
        return;
      case "toolcall_end":
        this.#endCall(part);
        return;
      case "picture":
        this.start();
        this.#parts.set(part.index, { type: "image", mime_type: part.mime_type, data: part.data });
        return;
      case "raw":
        if (this.#raw.length < rawLimit) {
          this.#raw = (this.#raw + part.chunk).slice(0, rawLimit);
        }
        return;
      case "finish": {
        const { type: _, ...finish } = part;
        this.finish = finish;
        return;
      }
      case "error":
        this.failure = part.failure;
        return;
    }
  }

  /** The whole answer: a block that its provider never closed ends here, a call that was not closed is none. */
  closed(): StoredPart[] {
    this.#close();
    return this.parts();
  }

  /** All that came so far, blocks that are still open included. */
  words(): string[] {
    const finished = this.parts().flatMap((part) => {
      if (part.type === "tool_call") return [part.name, JSON.stringify(part.arguments)];
      return part.type === "text" ? [part.text] : part.type === "thinking" ? [part.thinking] : [];
    });
    return [...finished, ...[...this.#open.values()].map(({ text }) => text)].filter((text) => text !== "");
  }

  /** The finished parts, in order. */
  parts(): StoredPart[] {
    return [...this.#parts.entries()].sort(([a], [b]) => a - b).map(([, part]) => part);
  }

  /** Closes what is open and gives what may be kept of an answer that was cut: no calls, nothing half-signed. */
  partial(): StoredPart[] {
    this.#close();
    return this.parts().filter((part) => part.type !== "tool_call");
  }

  /** Why the model stopped; calls always mean `tool_calls`, whatever the provider says. */
  stopReason(): StopReason {
    if (this.parts().some((part) => part.type === "tool_call")) return "tool_calls";
    const reason = this.finish?.stop_reason ?? "stop";
    return reason === "tool_calls" ? "stop" : reason;
  }

  #close(): void {
    for (const [index, block] of this.#open) {
      if (block.kind !== "toolcall") this.#end(index, undefined);
    }
    this.#open.clear();
  }

  /** Whether so many bytes more fit; what does not is left out, and nothing is taken after it. */
  #fits(bytes: number): boolean {
    this.#full ||= this.#bytes + bytes > longestAnswer;
    if (!this.#full) this.#bytes += bytes;
    return !this.#full;
  }

  #begin(part: Extract<ModelPart, { type: `${OpenBlock["kind"]}_start` }>): void {
    const named = part.type === "toolcall_start" ? jsonBytes([part.id, part.name]) : 0;
    if (part.type === "toolcall_start") this.#calls += 1;
    this.#full ||= this.#calls > mostCalls;
    if (!this.#fits(partBytes + named)) return;
    this.start();
    const { index } = part;
    const kind = part.type === "toolcall_start" ? "toolcall" : part.type === "text_start" ? "text" : "thinking";
    const redacted = part.type === "thinking_start" && part.redacted === true;
    this.#open.set(index, { kind, text: "", redacted, bytes: 0 });
    if (kind === "text") {
      this.#events.tell({ type: "text_start", message_id: this.messageId, index });
    } else if (kind === "thinking" && !this.#manner.hideThinking) {
      this.#events.tell({ type: "thinking_start", message_id: this.messageId, index });
    }
  }

  #grow(index: number, delta: string): void {
    const block = this.#open.get(index);
    if (block === undefined || delta === "") return;
    const bytes = jsonBytes(delta);
    if (!this.#fits(bytes)) return;
    block.bytes += bytes;
    const offset = block.text.length;
    block.text += delta;
    if (block.kind === "thinking" && this.#manner.hideThinking) return;
    const type = `${block.kind}_delta` as const;
    this.#events.tell({ type, message_id: this.messageId, index, offset, delta });
  }

  #end(index: number, provider_data: StoredPart["provider_data"]): void {
    const block = this.#open.get(index);
    if (block === undefined) return;
    if (provider_data !== undefined && !this.#fits(jsonBytes(provider_data))) return;
    this.#open.delete(index);
    const extra = provider_data === undefined ? {} : { provider_data };
    if (block.kind === "text") {
      this.#parts.set(index, { type: "text", text: block.text, ...extra });
      const { text } = block;
      this.#events.tell({ type: "text_end", message_id: this.messageId, index, text });
      return;
    }
    // Hidden thinking keeps its opaque signature alone: the provider may want to see that again (decision 19).
    const thinking = this.#manner.hideThinking ? "" : block.text;
    this.#parts.set(index, {
      type: "thinking",
      thinking,
      ...(block.redacted ? { redacted: true } : {}),
      ...extra,
    });
    if (this.#manner.hideThinking) return;
    this.#events.tell({ type: "thinking_end", message_id: this.messageId, index, thinking });
  }

  #endCall(part: Extract<ModelPart, { type: "toolcall_end" }>): void {
    const shown = this.#open.get(part.index)?.bytes ?? 0;
    const unseen = Math.max(0, jsonBytes(part.arguments) - shown) + jsonBytes(part.provider_data ?? null);
    if (!this.#fits(unseen)) return;
    this.#open.delete(part.index);
    const call = { id: part.id, name: part.name, ...parseArguments(part.arguments) };
    const extra = part.provider_data === undefined ? {} : { provider_data: part.provider_data };
    this.#parts.set(part.index, { type: "tool_call", ...call, ...extra });
    this.#events.tell({
      type: "toolcall_end",
      message_id: this.messageId,
      index: part.index,
      tool_call: call,
    });
  }
}
