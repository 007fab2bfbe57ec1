// Folds the events of a session into messages, as a client without other information does, and checks their order.

import type { AgentEvent, AssistantMessage, SessionMessage } from "#session/index.ts";

/** The messages of an execution's events. */
export interface Folded {
  messages: SessionMessage[];
  faults: string[];
}

/** Folds the events. Blocks are joined from their pieces alone, and compared with the texts of their end events and messages. */
export function foldEvents(events: readonly AgentEvent[]): Folded {
  const reader = new Reader();
  for (const event of events) reader.read(event);
  reader.end();
  return { messages: reader.messages, faults: reader.faults };
}

type Content = AssistantMessage["content"];

class Reader {
  readonly messages: SessionMessage[] = [];
  readonly faults: string[] = [];
  #session: "before" | "open" | "over" = "before";
  #message: { role: SessionMessage["role"]; content: Content } | null = null;
  #block: { type: string; text: string; index: number } | null = null;
  readonly #calls = new Set<string>();

  read(event: AgentEvent): void {
    if ((event.type === "session_start") !== (this.#session === "before")) this.#fault(event, "beside session_start");
    if (this.#session === "over") this.#fault(event, "behind session_end");
    switch (event.type) {
      case "session_start":
        this.#session = "open";
        return;
      case "session_end":
        this.#session = "over";
        this.#same(event, event.messages, this.messages);
        return;
      case "message_start":
        if (this.#message !== null) this.#fault(event, "inside a message");
        this.#message = { role: event.role, content: [] };
        return;
      case "message_end":
        return this.#endMessage(event);
      case "text_start":
      case "thinking_start":
      case "toolcall_start":
        if (this.#message?.role !== "assistant" || this.#block !== null) this.#fault(event, "not in an answer");
        this.#block = { type: event.type, text: "", index: "index" in event ? event.index : -1 };
        return;
      case "text_delta":
      case "thinking_delta":
      case "toolcall_delta":
        if (this.#block?.type !== event.type.replace("delta", "start")) this.#fault(event, "not in its block");
        if (this.#block !== null) this.#block.text += event.delta;
        return;
      case "text_end":
        return this.#endBlock(event, event.text, { type: "text", text: event.text });
      case "thinking_end":
        return this.#endBlock(event, event.thinking, { type: "thinking", thinking: event.thinking });
      case "toolcall_end": {
        const text = this.#block?.text ?? "";
        this.#same(event, parsed(text), event.toolCall.arguments);
        return this.#endBlock(event, text, { type: "toolCall", ...event.toolCall });
      }
      case "tool_execution_start":
        this.#calls.add(event.toolCallId);
        return;
      case "tool_execution_delta":
        if (!this.#calls.has(event.toolCallId)) this.#fault(event, "of a call that does not run");
        return;
      case "tool_execution_end":
        if (!this.#calls.delete(event.toolCallId)) this.#fault(event, "of a call that does not run");
        return;
      case "awaiting_tool_execution":
      case "error":
        if (this.#message !== null) this.#fault(event, "inside a message");
        return;
    }
  }

  end(): void {
    if (this.#session !== "over") this.faults.push("no session_end");
    if (this.#calls.size > 0) this.faults.push(`calls without an end: ${[...this.#calls].join(", ")}`);
  }

  #endMessage(event: Extract<AgentEvent, { type: "message_end" }>): void {
    const { message } = event;
    const open = this.#message;
    this.#message = null;
    if (open === null || this.#block !== null) return this.#fault(event, "no message, or a block, is open");
    this.messages.push(message);
    if (open.role !== "assistant") return this.#same(event, message.role, open.role);
    const said = message.role === "assistant" ? message : "partial" in message ? message.partial : undefined;
    // A call of an answer that was interrupted is not stored.
    const kept = message.role === "assistant" ? open.content : open.content.filter(({ type }) => type !== "toolCall");
    this.#same(event, said?.content, kept);
  }

  #endBlock(event: AgentEvent, text: string, part: Content[number]): void {
    if (this.#block === null) return this.#fault(event, "no block is open");
    this.#same(event, this.#block.text, text);
    this.#block = null;
    this.#message?.content.push(part);
  }

  #same(event: AgentEvent, one: unknown, other: unknown): void {
    if (JSON.stringify(one) !== JSON.stringify(other)) {
      this.#fault(event, `${JSON.stringify(one)} is not ${JSON.stringify(other)}`);
    }
  }

  #fault(event: AgentEvent, what: string): void {
    this.faults.push(`${event.type}: ${what}`);
  }
}

function parsed(text: string): unknown {
  return text === "" ? {} : JSON.parse(text);
}
