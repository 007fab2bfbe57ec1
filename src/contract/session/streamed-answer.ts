// Records what was sent of one streaming answer, block by block. A repeated or merged delta then adds only its new
// characters, and a retracted message can be closed.

import type { EventOf } from "../event.ts";
import type { AgentEvent } from "./agent-event.ts";
import type { AssistantMessage } from "./session-message.ts";
import { toSessionCall } from "./session-transcript.ts";

type BlockEvent = EventOf<`${"text" | "thinking" | "toolcall"}_${"start" | "delta" | "end"}`>;

type Kind = "text" | "thinking" | "toolcall";

interface Block {
  kind: Kind;
  text: string;
  ended: boolean;
}

/** The sent part of one answer. */
export class StreamedAnswer {
  readonly #blocks = new Map<number, Block>();

  /** Returns the session events for an event of one of the answer's blocks. */
  take(event: BlockEvent): AgentEvent[] {
    const known = this.#blocks.get(event.index);
    if (known?.ended === true) return [];
    const kind = kindOf(event);
    const block = known ?? { kind, text: "", ended: false };
    this.#blocks.set(event.index, block);
    const begins = known === undefined ? [started(kind, event.index)] : [];
    switch (event.type) {
      case "text_start":
      case "thinking_start":
      case "toolcall_start":
        return begins;
      case "text_delta":
      case "thinking_delta":
      case "toolcall_delta": {
        const fresh = event.delta.slice(Math.max(0, block.text.length - event.offset));
        if (fresh === "") return begins;
        block.text = block.text.slice(0, event.offset) + event.delta;
        return [...begins, grown(kind, event.index, fresh)];
      }
      case "text_end":
      case "thinking_end":
        block.ended = true;
        block.text = event.type === "text_end" ? event.text : event.thinking;
        return [...begins, ended(event.type === "text_end" ? "text" : "thinking", block.text)];
      case "toolcall_end":
        block.ended = true;
        return [...begins, { type: "toolcall_end", index: event.index, toolCall: toSessionCall(event.tool_call) }];
    }
  }

  /**
   * Ends the open blocks of text and thinking. A tool call that has not ended gets no end event, because its arguments
   * are incomplete.
   */
  close(): AgentEvent[] {
    return [...this.#blocks.values()].flatMap((block) => {
      if (block.ended || block.kind === "toolcall") return [];
      block.ended = true;
      return [ended(block.kind, block.text)];
    });
  }

  /** Returns the sent part as a partial message, without tool calls, because they will not be made. */
  partial(): AssistantMessage {
    const blocks = [...this.#blocks.entries()].sort(([left], [right]) => left - right);
    const content = blocks.flatMap(([, { kind, text }]): AssistantMessage["content"] => {
      if (kind === "text") return [{ type: "text", text }];
      return kind === "thinking" ? [{ type: "thinking", thinking: text }] : [];
    });
    return { role: "assistant", content, stopReason: "length", model: null, provider: null, usage: null, cost: null };
  }
}

function kindOf({ type }: BlockEvent): Kind {
  if (type.startsWith("text")) return "text";
  return type.startsWith("thinking") ? "thinking" : "toolcall";
}

function started(kind: Kind, index: number): AgentEvent {
  return kind === "toolcall" ? { type: "toolcall_start", index } : { type: `${kind}_start` };
}

function grown(kind: Kind, index: number, delta: string): AgentEvent {
  return kind === "toolcall" ? { type: "toolcall_delta", index, delta } : { type: `${kind}_delta`, delta };
}

function ended(kind: Exclude<Kind, "toolcall">, text: string): AgentEvent {
  return kind === "text" ? { type: "text_end", text } : { type: "thinking_end", thinking: text };
}
