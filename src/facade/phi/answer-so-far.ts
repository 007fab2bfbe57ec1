// The answer of a model while it is streamed: each event contains the answer so far. A changed block is a new object, and the other blocks
// are shared, so that an event that a program keeps does not change later.

import type { StreamDelta } from "./loop-event.ts";
import type { AssistantMessage, Content } from "./loop-messages.ts";

/** The document keeps the text of unfinished arguments under this name (architecture §5, Anthropic). */
const partialArguments = "__partial_json";

/** Builds the message of an answer from its deltas. */
export class StreamedAnswer {
  readonly #base: AssistantMessage;
  readonly #blocks = new Map<number, Content>();

  constructor(base: AssistantMessage) {
    this.#base = base;
  }

  /** The answer so far. */
  get message(): AssistantMessage {
    const content = [...this.#blocks.entries()].sort(([one], [other]) => one - other).map(([, block]) => block);
    return { ...this.#base, content };
  }

  /** A call begins; its id and name are known. */
  beginCall(index: number, call: { id: string; name: string }): void {
    this.#blocks.set(index, { type: "toolCall", ...call, arguments: { [partialArguments]: "" } });
  }

  /** Adds a delta. Returns it as the document names it. */
  add(kind: "text" | "thinking" | "toolcall", index: number, delta: string): StreamDelta {
    const block = this.#blocks.get(index);
    if (kind === "text") {
      const text = block?.type === "text" ? block.text : "";
      this.#blocks.set(index, { type: "text", text: text + delta });
      return { Text: { delta } };
    }
    if (kind === "thinking") {
      const thinking = block?.type === "thinking" ? block.thinking : "";
      this.#blocks.set(index, { type: "thinking", thinking: thinking + delta });
      return { Thinking: { delta } };
    }
    if (block?.type === "toolCall") {
      const { [partialArguments]: before = "" } = block.arguments as Record<string, string>;
      this.#blocks.set(index, { ...block, arguments: { [partialArguments]: before + delta } });
    }
    return { ToolCallDelta: { delta } };
  }
}
