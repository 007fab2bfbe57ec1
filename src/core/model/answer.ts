// Assembles a model's answer from the parts of its stream, and emits the events of the answer's content blocks (text, thinking, calls).

import type { EventDraft } from "#contract/event.ts";
import { keptBounds } from "#contract/json.ts";
import type { JsonObject } from "#contract/json.ts";
import type { StopReason } from "#contract/thread-message.ts";
import { joinBase64 } from "#lib/base64.ts";
import { jsonBytes } from "#lib/cut-text.ts";
import { parseBoundedJson } from "#lib/untrusted/bounded-json.ts";

import type { ModelFinish, ModelPart } from "../ports/model-port.ts";
import type { StoredPart } from "../record/record.ts";
import type { RowEvents } from "../step/row-events.ts";

/** The maximum number of bytes of JSON of an answer's parts: its message has to fit a row. Images and audio are stored as files. */
const longestAnswer = 1_500_000;

/** The maximum number of base64 characters of an answer's images, audio and video, which are in memory until the answer ends. */
const mostMedia = 48 * 1024 * 1024;

/** The maximum number of calls of an answer. Each call is a row, and may depend on all calls before it. */
const mostCalls = 2000;

/** Bytes of a part in addition to its text: braces and field names. */
const partBytes = 100;

/** The maximum number of UTF-16 units of a raw answer that the log keeps. */
const rawLimit = 256 * 1024;

interface OpenBlock {
  kind: "text" | "thinking" | "toolcall";
  text: string;
  redacted: boolean;
  /** Bytes of the block's text as JSON. */
  bytes: number;
}

/**
 * Parses tool arguments. A blank text is an empty object. Any other text that is not a JSON object is returned as it is, marked `invalid`.
 */
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

/** Options of an answer and its position. */
export interface AnswerOptions {
  hideThinking: boolean;
  role: "assistant" | "user";
  /** The tool message that the answer belongs to; null in the run's main loop. */
  parentId: string | null;
  /** Whether the answer is a silent message: its events are marked, so that only subscribers that ask for them receive them. */
  silent: boolean;
}

/** The answer of one attempt while its stream is received. */
export class Answer {
  /** The id is also the message's position: the answer gets its position when the attempt begins. */
  readonly messageId: string;
  readonly #events: RowEvents;
  readonly #options: AnswerOptions;
  readonly #parts = new Map<number, StoredPart>();
  readonly #open = new Map<number, OpenBlock>();
  /** The base64 pieces of images, audio and video whose end has not arrived, by the index of the part. */
  readonly #media = new Map<number, { mime_type: string; pieces: string[] }>();
  /** Whether `message_start` was emitted. */
  started = false;
  /** Whether a part was dropped because the answer is longer than a limit. */
  full = false;
  /** Bytes of the parts so far. */
  #bytes = 0;
  #calls = 0;
  /** Base64 characters of media so far. */
  #mediaLength = 0;
  /** The raw chunks of the provider, up to 262,144 UTF-16 units. */
  raw = "";
  /** The part that ended the stream; null until it arrives. */
  end: Extract<ModelPart, { type: "finish" | "error" }> | null = null;

  constructor(messageId: string, events: RowEvents, options: AnswerOptions) {
    this.messageId = messageId;
    this.#events = events;
    this.#options = options;
  }

  /** The end of a complete answer; null for any other answer. */
  get finish(): ModelFinish | null {
    return this.end?.type === "finish" ? this.end : null;
  }

  /** Emits `message_start`, once. */
  start(): void {
    if (this.started) return;
    this.started = true;
    const { role, parentId } = this.#options;
    this.#emit({
      type: "message_start",
      role,
      message_id: this.messageId,
      position: this.messageId,
      ...(parentId === null ? {} : { parent_id: parentId }),
    });
  }

  #emit(event: EventDraft): void {
    this.#events.emit(this.#options.silent ? { ...event, silent: true } : event);
  }

  /** Adds the next part of the stream. */
  add(part: ModelPart): void {
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
        this.#emit({
          type: "toolcall_start",
          message_id: this.messageId,
          index: part.index,
          tool_call: { id: part.id, name: part.name },
        });
        return;
      case "toolcall_end":
        this.#endCall(part);
        return;
      case "provider_tool_start":
        this.#beginTool(part);
        return;
      case "provider_tool_end":
        this.#endTool(part);
        return;
      case "media_start":
        this.start();
        this.#media.set(part.index, { mime_type: part.mime_type, pieces: [] });
        return;
      case "media_delta":
        this.#growMedia(part);
        return;
      case "media_end":
        this.#endMedia(part.index);
        return;
      case "raw":
        if (this.raw.length < rawLimit) this.raw = (this.raw + part.chunk).slice(0, rawLimit);
        return;
      case "finish":
      case "error":
        this.end = part;
        return;
    }
  }

  /** Returns the parts of a complete answer. Closes blocks that the provider left open; drops calls that it left open. */
  closeParts(): StoredPart[] {
    this.#close();
    return this.parts();
  }

  /** The texts, thinking, call names and call arguments received so far, including those of open blocks. */
  texts(): string[] {
    const finished = this.parts().flatMap((part) => {
      if (part.type === "tool_call") return [part.name, JSON.stringify(part.arguments)];
      if (part.type === "provider_tool") return [part.name, JSON.stringify(part.input)];
      return part.type === "text" ? [part.text] : part.type === "thinking" ? [part.thinking] : [];
    });
    return [...finished, ...[...this.#open.values()].map(({ text }) => text)].filter((text) => text !== "");
  }

  /** The closed parts, in order. */
  parts(): StoredPart[] {
    return [...this.#parts.entries()].sort(([a], [b]) => a - b).map(([, part]) => part);
  }

  /** Returns the parts of an interrupted answer. Closes open blocks and drops all calls. */
  partialParts(): StoredPart[] {
    this.#close();
    return this.parts().filter((part) => part.type !== "tool_call");
  }

  /** Why the model stopped: `tool_calls` for an answer with calls, whatever the provider reports. */
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
    for (const index of this.#media.keys()) this.#endMedia(index);
  }

  #growMedia({ index, delta }: Extract<ModelPart, { type: "media_delta" }>): void {
    this.#mediaLength += delta.length;
    this.full ||= this.#mediaLength > mostMedia;
    // An incomplete image, audio or video is useless, so its pieces are dropped.
    if (this.full) this.#media.delete(index);
    else this.#media.get(index)?.pieces.push(delta);
  }

  #endMedia(index: number): void {
    const { mime_type, pieces } = this.#media.get(index) ?? { mime_type: "", pieces: [] };
    this.#media.delete(index);
    if (pieces.length === 0) return;
    const type = mime_type.startsWith("image/") ? "image" : "file";
    this.#parts.set(index, { type, mime_type, data: joinBase64(pieces) });
  }

  /** Counts the bytes if they fit. If not, the answer is full: this and all later parts are dropped. */
  #fits(bytes: number): boolean {
    this.full ||= this.#bytes + bytes > longestAnswer;
    if (!this.full) this.#bytes += bytes;
    return !this.full;
  }

  #begin(part: Extract<ModelPart, { type: `${OpenBlock["kind"]}_start` }>): void {
    const nameBytes = part.type === "toolcall_start" ? jsonBytes([part.id, part.name]) : 0;
    if (part.type === "toolcall_start") this.#calls += 1;
    this.full ||= this.#calls > mostCalls;
    if (!this.#fits(partBytes + nameBytes)) return;
    this.start();
    const { index } = part;
    const kind = part.type === "toolcall_start" ? "toolcall" : part.type === "text_start" ? "text" : "thinking";
    const redacted = part.type === "thinking_start" && part.redacted === true;
    this.#open.set(index, { kind, text: "", redacted, bytes: 0 });
    if (kind === "text") {
      this.#emit({ type: "text_start", message_id: this.messageId, index });
    } else if (kind === "thinking" && !this.#options.hideThinking) {
      this.#emit({ type: "thinking_start", message_id: this.messageId, index });
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
    if (block.kind === "thinking" && this.#options.hideThinking) return;
    const type = `${block.kind}_delta` as const;
    this.#emit({ type, message_id: this.messageId, index, offset, delta });
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
      this.#emit({ type: "text_end", message_id: this.messageId, index, text });
      return;
    }
    // Of hidden thinking only the opaque signature is stored: the provider may require it in later requests (decision 19: thinking).
    const thinking = this.#options.hideThinking ? "" : block.text;
    this.#parts.set(index, {
      type: "thinking",
      thinking,
      ...(block.redacted ? { redacted: true } : {}),
      ...extra,
    });
    if (this.#options.hideThinking) return;
    this.#emit({ type: "thinking_end", message_id: this.messageId, index, thinking });
  }

  /** Stores the call at once, so that an interrupted answer has it without a result. */
  #beginTool({ index, tool }: Extract<ModelPart, { type: "provider_tool_start" }>): void {
    this.#calls += 1;
    this.full ||= this.#calls > mostCalls;
    if (!this.#fits(partBytes + jsonBytes(tool))) return;
    this.start();
    this.#parts.set(index, { type: "provider_tool", ...tool });
    this.#emit({
      type: "provider_tool_start",
      message_id: this.messageId,
      index,
      part: { type: "provider_tool", ...tool },
    });
  }

  #endTool({ index, tool, provider_data }: Extract<ModelPart, { type: "provider_tool_end" }>): void {
    const begun = this.#parts.get(index);
    if (begun?.type !== "provider_tool" || !this.#fits(Math.max(0, jsonBytes(tool) - jsonBytes(begun)))) return;
    // Without the data the call and its result are sent to the provider as text.
    const isKept = provider_data !== undefined && this.#bytes + jsonBytes(provider_data) <= longestAnswer;
    if (isKept) this.#fits(jsonBytes(provider_data));
    const part = { type: "provider_tool" as const, ...tool };
    this.#parts.set(index, { ...part, ...(isKept ? { provider_data } : {}) });
    this.#emit({ type: "provider_tool_end", message_id: this.messageId, index, part });
  }

  #endCall(part: Extract<ModelPart, { type: "toolcall_end" }>): void {
    const counted = this.#open.get(part.index)?.bytes ?? 0;
    const uncounted = Math.max(0, jsonBytes(part.arguments) - counted) + jsonBytes(part.provider_data ?? null);
    if (!this.#fits(uncounted)) return;
    this.#open.delete(part.index);
    const call = { id: part.id, name: part.name, ...parseArguments(part.arguments) };
    const extra = part.provider_data === undefined ? {} : { provider_data: part.provider_data };
    this.#parts.set(part.index, { type: "tool_call", ...call, ...extra });
    this.#emit({
      type: "toolcall_end",
      message_id: this.messageId,
      index: part.index,
      tool_call: call,
    });
  }
}
