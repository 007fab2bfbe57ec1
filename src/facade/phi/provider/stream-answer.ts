// Assembles the answer of this package's providers from the parts of its stream, and converts the parts to the events of a provider.

import type { StopReason as CoreStopReason } from "#contract/thread-message.ts";
import { zeroUsage } from "#contract/usage.ts";
import { parseArguments } from "#core/model/answer.ts";
import type { ModelFailure, ModelPart } from "#core/ports/model-port.ts";
import type { ProviderData, StoredPart } from "#core/record/record.ts";
import { joinBase64 } from "#lib/base64.ts";

import type { AssistantMessage } from "../loop-messages.ts";
import { contentOf, stopReasonOf } from "../message-codec.ts";
import type { StreamEvent } from "./stream-provider.ts";

/** A block whose end has not arrived. */
interface OpenBlock {
  kind: "text" | "thinking" | "call" | "media";
  pieces: string[];
  mimeType: string;
}

/** The error of an answer that the provider stopped without a reason. */
const refused = "The provider stopped the answer.";

/** One answer while its stream is received. */
export class StreamAnswer {
  readonly #open = new Map<number, OpenBlock>();
  readonly #parts = new Map<number, StoredPart>();
  readonly #of: Pick<AssistantMessage, "model" | "provider" | "timestamp">;

  constructor(of: Pick<AssistantMessage, "model" | "provider" | "timestamp">) {
    this.#of = of;
  }

  /** Adds a part. Returns its event; null for a part without one. */
  add(part: Exclude<ModelPart, { type: "finish" | "error" }>): StreamEvent | null {
    switch (part.type) {
      case "raw":
      case "provider_tool_start":
      case "provider_tool_end":
        return null;
      case "text_start":
      case "thinking_start":
        this.#begin(part.index, part.type === "text_start" ? "text" : "thinking");
        return null;
      case "media_start":
        this.#begin(part.index, "media", part.mime_type);
        return null;
      case "toolcall_start":
        this.#begin(part.index, "call");
        return { type: "ToolCallStart", content_index: part.index, id: part.id, name: part.name };
      case "media_delta":
        this.#open.get(part.index)?.pieces.push(part.delta);
        return null;
      case "text_delta":
        this.#open.get(part.index)?.pieces.push(part.delta);
        return { type: "TextDelta", content_index: part.index, delta: part.delta };
      case "thinking_delta":
        this.#open.get(part.index)?.pieces.push(part.delta);
        return { type: "ThinkingDelta", content_index: part.index, delta: part.delta };
      case "toolcall_delta":
        return { type: "ToolCallDelta", content_index: part.index, delta: part.delta };
      case "text_end":
      case "thinking_end":
        this.#close(part.index, part.provider_data);
        return null;
      case "media_end":
        this.#close(part.index);
        return null;
      case "toolcall_end": {
        this.#open.delete(part.index);
        const { index, id, name, provider_data } = part;
        const extra = provider_data === undefined ? {} : { provider_data };
        this.#parts.set(index, { type: "tool_call", id, name, ...parseArguments(part.arguments), ...extra });
        return { type: "ToolCallEnd", content_index: index };
      }
    }
  }

  /** The complete answer. */
  finished({ stop_reason, stop_detail, usage }: Extract<ModelPart, { type: "finish" }>): AssistantMessage {
    this.#closeTexts();
    const parts = this.#closed();
    const hasCalls = parts.some(({ type }) => type === "tool_call");
    const reason = stopReasonOf(hasCalls ? "tool_calls" : withoutCalls(stop_reason));
    return {
      role: "assistant",
      content: contentOf(parts),
      stop_reason: reason,
      ...this.#of,
      usage,
      ...(reason === "error" ? { error_message: stop_detail ?? refused } : {}),
    };
  }

  /** The answer of a failed request: the text and thinking that were received. */
  failed({ kind, message }: ModelFailure, usage = zeroUsage): AssistantMessage {
    this.#closeTexts();
    return {
      role: "assistant",
      content: contentOf(this.#closed().filter(({ type }) => type !== "tool_call")),
      stop_reason: kind === "aborted" ? "aborted" : "error",
      ...this.#of,
      usage: { ...usage },
      ...(kind === "aborted" ? {} : { error_message: message }),
    };
  }

  #begin(index: number, kind: OpenBlock["kind"], mimeType = ""): void {
    this.#open.set(index, { kind, pieces: [], mimeType });
  }

  #close(index: number, provider_data?: ProviderData): void {
    const block = this.#open.get(index);
    this.#open.delete(index);
    if (block === undefined || block.kind === "call") return;
    const { kind, pieces, mimeType: mime_type } = block;
    const extra = provider_data === undefined ? {} : { provider_data };
    const text = pieces.join("");
    if (kind === "text") this.#parts.set(index, { type: "text", text, ...extra });
    else if (kind === "thinking") this.#parts.set(index, { type: "thinking", thinking: text, ...extra });
    else if (pieces.length > 0) {
      const type = mime_type.startsWith("image/") ? "image" : "file";
      this.#parts.set(index, { type, mime_type, data: joinBase64(pieces) });
    }
  }

  /** Closes what the stream left open. A call that was left open is incomplete, so it is dropped. */
  #closeTexts(): void {
    for (const [index, { kind }] of this.#open) if (kind === "text" || kind === "thinking") this.#close(index);
    this.#open.clear();
  }

  #closed(): StoredPart[] {
    return [...this.#parts.entries()].sort(([a], [b]) => a - b).map(([, part]) => part);
  }
}

/** The stop reason of an answer without calls. */
function withoutCalls(reason: CoreStopReason): CoreStopReason {
  return reason === "tool_calls" ? "stop" : reason;
}
