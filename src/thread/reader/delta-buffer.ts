// Deltas that wait to be sent: pieces of a content block of a message, or of a tool's output. Several deltas of one block or output are
// merged into one event. A merged event takes the position of its last delta, so no delta is sent before an event that was emitted earlier.

import type { PlainEvent } from "#contract/event.ts";

/** True for events that append to a content block of a message or to a tool's output. Such events may be merged. */
export function isDelta(event: PlainEvent): boolean {
  return event.type.endsWith("_delta");
}

function keyOf(event: PlainEvent): string | null {
  switch (event.type) {
    case "text_delta":
    case "thinking_delta":
    case "toolcall_delta":
      return `${event.type} ${event.message_id} ${event.index}`;
    case "tool_execution_delta":
      return event.delta === undefined ? `progress ${event.tool_call_id}` : `output ${event.tool_call_id}`;
    default:
      return null;
  }
}

/** Merges two deltas of one block or output into one event: with the offset of the first, the number of the second, and both texts. */
export function merged(first: PlainEvent, second: PlainEvent): PlainEvent {
  const from_seq = first.from_seq ?? first.seq;
  if ("delta" in first && "delta" in second && first.delta !== undefined) {
    const delta = first.delta + (second.delta ?? "");
    return { ...second, from_seq, offset: first.offset, delta } as PlainEvent;
  }
  return { ...second, from_seq };
}

/** Collects deltas, and merges each one with an earlier delta of the same block or output. */
export class DeltaBuffer {
  #events = new Map<string, PlainEvent>();

  get empty(): boolean {
    return this.#events.size === 0;
  }

  add(event: PlainEvent): void {
    const key = keyOf(event) ?? `single ${event.seq}`;
    const known = this.#events.get(key);
    this.#events.delete(key);
    this.#events.set(key, known === undefined ? event : merged(known, event));
  }

  /** Empties the buffer and returns its events in the order of their numbers. */
  take(): PlainEvent[] {
    const events = [...this.#events.values()];
    this.#events = new Map();
    return events;
  }
}
