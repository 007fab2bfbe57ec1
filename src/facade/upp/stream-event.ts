// Defines the events of a stream. Converts a run's events, and the parts of generated images, audio and video, to them. The order:
// `message_start`, the blocks, `message_stop`, then each call's start and end as they happen, then the next `message_start`. If a second
// `message_start` follows without a `message_stop`, the request of the first message failed and is repeated, and the second message
// replaces the first one.

import type { PlainEvent } from "#contract/event.ts";
import { fromBase64 } from "#lib/base64.ts";
import { unreachable } from "#lib/unreachable.ts";

import type { MediaPart } from "./run-turn.ts";
import type { ToolExecution } from "./upp-tool.ts";

/** The kind of an event. */
export type StreamEventType =
  | "message_start"
  | "content_block_start"
  | "text_delta"
  | "reasoning_delta"
  | "tool_call_delta"
  | "image_delta"
  | "audio_delta"
  | "video_delta"
  | "content_block_stop"
  | "message_stop"
  | "tool_execution_start"
  | "tool_execution_end";

/** The data of an event. */
export interface EventDelta {
  text?: string;
  toolCallId?: string;
  toolName?: string;
  /** A piece of the arguments' JSON. */
  argumentsJson?: string;
  /** A piece of the bytes of an image, audio or video. */
  data?: Uint8Array;
  /** The media type of an image, audio or video. */
  mimeType?: string;
  result?: unknown;
  isError?: boolean;
  /** Milliseconds since 1970. */
  timestamp?: number;
}

/** An event of a stream. */
export interface StreamEvent {
  type: StreamEventType;
  /** The number of the block in its message, or of the call among the message's calls; 0 for events of the message itself. */
  index: number;
  delta: EventDelta;
}

/** Converts the events of one run. */
export class StreamEvents {
  /** The calls of the current message, by the number of their block. */
  readonly #calls = new Map<number, { toolCallId: string; toolName: string }>();

  /** The media types of images, audio and video of the current message, by the number of the block. */
  readonly #media = new Map<number, string>();

  /** Converts a part of an image, audio or video. */
  convertMedia(part: MediaPart): StreamEvent {
    const { index } = part;
    if (part.type === "media_start") {
      this.#media.set(index, part.mime_type);
      return { type: "content_block_start", index, delta: { mimeType: part.mime_type } };
    }
    const mimeType = this.#media.get(index) ?? "";
    if (part.type === "media_end") return { type: "content_block_stop", index, delta: { mimeType } };
    const data = fromBase64(part.delta);
    if (data === null) unreachable("the model port sends media in base64");
    return { type: `${mimeType.split("/")[0] as "image" | "audio" | "video"}_delta`, index, delta: { data, mimeType } };
  }

  /** Converts an event of the run; null if the stream has no such event. */
  convert(event: PlainEvent, executionOf: (toolCallId: string) => ToolExecution | undefined): StreamEvent | null {
    switch (event.type) {
      case "message_start":
        if (event.role !== "assistant") return null;
        this.#calls.clear();
        return { type: "message_start", index: 0, delta: {} };
      case "message_end":
        return event.message.role === "assistant" ? { type: "message_stop", index: 0, delta: {} } : null;
      case "text_start":
      case "thinking_start":
        return { type: "content_block_start", index: event.index, delta: {} };
      case "text_delta":
        return { type: "text_delta", index: event.index, delta: { text: event.delta } };
      case "thinking_delta":
        return { type: "reasoning_delta", index: event.index, delta: { text: event.delta } };
      case "text_end":
      case "thinking_end":
        return { type: "content_block_stop", index: event.index, delta: {} };
      case "toolcall_start": {
        const call = { toolCallId: event.tool_call.id, toolName: event.tool_call.name };
        this.#calls.set(event.index, call);
        return { type: "content_block_start", index: event.index, delta: call };
      }
      case "toolcall_delta": {
        const delta = { ...this.#calls.get(event.index), argumentsJson: event.delta };
        return { type: "tool_call_delta", index: event.index, delta };
      }
      case "toolcall_end":
        return { type: "content_block_stop", index: event.index, delta: this.#calls.get(event.index) ?? {} };
      case "tool_execution_start":
        return this.#execution("tool_execution_start", event);
      case "tool_execution_end": {
        const { result, error } = event.result;
        const execution = executionOf(event.tool_call_id);
        const known = execution === undefined ? (error ?? result ?? "") : execution.result;
        const start = this.#execution("tool_execution_end", event);
        return { ...start, delta: { ...start.delta, result: known, isError: event.is_error } };
      }
      default:
        return null;
    }
  }

  #execution(
    type: StreamEventType,
    { tool_call_id: toolCallId, tool_name: toolName, at }: Extract<PlainEvent, { type: `tool_execution_${string}` }>,
  ): StreamEvent {
    const ids = [...this.#calls.values()].map((call) => call.toolCallId);
    return { type, index: Math.max(0, ids.indexOf(toolCallId)), delta: { toolCallId, toolName, timestamp: at / 1000 } };
  }
}
