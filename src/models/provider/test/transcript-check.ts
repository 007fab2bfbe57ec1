// Checks the rules that every provider has for transcripts. The `test` provider checks each request, so that a broken transcript
// fails in tests and not in production (decision 44): each call has exactly one result directly after it, no result lacks its
// call, ids are unique, the order of roles is legal, and no message is empty.

import type { ModelMessage } from "#core/ports/model-port.ts";
import { isVisible } from "#lib/visible-text.ts";

function callsOf(message: ModelMessage): string[] {
  return message.parts.filter((part) => part.type === "tool_call").map((part) => part.id);
}

function isBlank(message: ModelMessage): boolean {
  return !message.parts.some((part) => {
    if (part.type === "thinking") return false;
    return part.type !== "text" || isVisible(part.text);
  });
}

function quote(ids: Iterable<string>): string {
  return [...ids].map((id) => `"${id}"`).join(", ");
}

class TranscriptReader {
  readonly #seen = new Set<string>();
  /** Calls of the last assistant message that have no result yet. */
  #open = new Set<string>();
  #last: ModelMessage["role"] | null = null;

  /** The error of the next message; null for none. */
  read(message: ModelMessage): string | null {
    const fault = message.role === "tool" ? this.#readResult(message) : this.#readSpoken(message);
    this.#last = message.role;
    return fault;
  }

  /** The error after the last message; null for none. */
  end(): string | null {
    if (this.#last === null) return "the transcript is empty";
    return this.#open.size > 0 ? `the transcript ends while ${quote(this.#open)} lacks its result` : null;
  }

  #readResult({ tool_call_id: id, result }: ModelMessage): string | null {
    if (id === null) return "a tool message names no call";
    if (result === null) return `the tool message of "${id}" carries no result`;
    if (this.#open.delete(id)) return null;
    if (this.#seen.has(id)) return `the result of "${id}" comes twice, or not right after its call`;
    return `the result of "${id}" answers no call`;
  }

  #readSpoken(message: ModelMessage): string | null {
    if (this.#open.size > 0) return `a ${message.role} message stands between ${quote(this.#open)} and its result`;
    if (message.role === "system") return null;
    if (isBlank(message)) return `an ${message.role} message is empty`;
    if (message.role !== "assistant") return null;
    if (this.#last === "assistant") return "two assistant messages follow each other";
    const calls = callsOf(message);
    for (const id of calls) {
      if (id === "") return "a call has no id";
      if (this.#seen.has(id)) return `the call id "${id}" is used twice`;
      this.#seen.add(id);
    }
    this.#open = new Set(calls);
    return null;
  }
}

/** The error of a transcript as a sentence; null for a transcript that every provider accepts. */
export function checkTranscript(messages: readonly ModelMessage[]): string | null {
  const reader = new TranscriptReader();
  for (const [position, message] of messages.entries()) {
    const fault = reader.read(message);
    if (fault !== null) return `message ${position + 1} of ${messages.length}: ${fault}`;
  }
  return reader.end();
}
