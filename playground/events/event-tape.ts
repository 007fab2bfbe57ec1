// Collects the events of a thread in order. Deltas of one block, which arrive by the hundred, are merged into one
// entry, in the same way as the server merges them for a later reader, so a live log and a replay have the same
// entries.

import type { ThreadEvent } from "threadhold/client";

import { createStore } from "../kit/create-store.ts";

/** An entry: the event, the number of the first merged event, and how many events were merged. */
export interface TapeEntry {
  key: string;
  from: number;
  event: ThreadEvent;
  count: number;
}

/** The number of last entries that are searched for earlier deltas of a block, because the deltas of parallel calls alternate. */
const lookBack = 8;

/** The collected events. `later` runs its argument once, soon: in a page at the next frame. */
export class EventTape {
  readonly #store = createStore<readonly TapeEntry[]>([]);
  readonly #later: (run: () => void) => void;
  #next: TapeEntry[] | null = null;

  constructor(later: (run: () => void) => void = (run) => void requestAnimationFrame(run)) {
    this.#later = later;
  }

  /** The entries; the same list until an event is added. */
  readonly get = this.#store.get;

  readonly subscribe = this.#store.subscribe;

  push(event: ThreadEvent): void {
    const entries = this.#writing();
    const from = event.from_seq ?? event.seq;
    for (let at = entries.length - 1; at >= Math.max(0, entries.length - lookBack); at -= 1) {
      const known = entries[at];
      const merged = known === undefined ? null : mergedDelta(known.event, event);
      if (known === undefined || merged === null) continue;
      entries.splice(at, 1);
      entries.push({ ...known, event: merged, count: known.count + 1 });
      return;
    }
    entries.push({ key: String(from), from, event, count: 1 });
  }

  /** The new list, which is written to until it replaces the published one. */
  #writing(): TapeEntry[] {
    if (this.#next !== null) return this.#next;
    const next = [...this.#store.get()];
    this.#next = next;
    this.#later(() => {
      this.#next = null;
      this.#store.set(next);
    });
    return next;
  }
}

/** Two deltas of one block as one; null for any other two events. */
function mergedDelta(known: ThreadEvent, next: ThreadEvent): ThreadEvent | null {
  if (known.type !== next.type || known.message_id !== next.message_id) return null;
  const from_seq = known.from_seq ?? known.seq;
  switch (next.type) {
    case "text_delta":
    case "thinking_delta":
    case "toolcall_delta": {
      if (known.type !== next.type || known.index !== next.index) return null;
      return { ...next, from_seq, offset: known.offset, delta: spliced(known, next) };
    }
    case "tool_execution_delta": {
      if (known.type !== next.type || known.tool_call_id !== next.tool_call_id) return null;
      if (known.delta === undefined || next.delta === undefined) {
        return known.delta === undefined && next.delta === undefined ? { ...next, from_seq } : null;
      }
      const begin = known.offset ?? 0;
      const delta = spliced({ offset: begin, delta: known.delta }, { offset: next.offset ?? begin, delta: next.delta });
      return { ...next, from_seq, offset: begin, delta };
    }
    default:
      return null;
  }
}

interface Delta {
  offset: number;
  delta: string;
}

function spliced(known: Delta, next: Delta): string {
  return known.delta.slice(0, next.offset - known.offset) + next.delta;
}
