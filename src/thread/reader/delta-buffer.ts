// Holds deltas back for a moment and makes one of those that belong together. A delta may wait, never overtake.

import type { PlainEvent } from "#contract/event.ts";

/** True for events that grow a block or a tool's output, and may be merged. */
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

/** One event that stands for both: the first's place in the block, the second's number. */
export function merged(first: PlainEvent, second: PlainEvent): PlainEvent {
  const from_seq = first.from_seq ?? first.seq;
  if ("delta" in first && "delta" in second && first.delta !== undefined) {
    const delta = first.delta + (second.delta ?? "");
    return { ...second, from_seq, offset: first.offset, delta } as PlainEvent;
  }
  return { ...second, from_seq };
}

/** Deltas in the order in which they are to be told. */
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

  /** Empties the buffer; in order of `seq`. */
  take(): PlainEvent[] {
    const events = [...this.#events.values()];
    this.#events = new Map();
    return events;
  }
}
