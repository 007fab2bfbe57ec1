// The events of a thread as they come, the last of them. Deltas of one block, which come by the hundred, are one entry.

import type { ThreadEvent } from "#client/index.ts";

/** An entry: the event, and how many it stands for. */
export interface TapeEntry {
  key: string;
  event: ThreadEvent;
  count: number;
}

const most = 2000;

/** The tape. */
export class EventTape {
  readonly #listeners = new Set<() => void>();
  #entries: readonly TapeEntry[] = [];
  #waiting: TapeEntry[] = [];
  #told = false;
  #number = 0;

  /** The entries; the same list until more come. */
  readonly picture = (): readonly TapeEntry[] => this.#entries;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  push(event: ThreadEvent): void {
    const last = this.#waiting.at(-1) ?? this.#entries.at(-1);
    if (last !== undefined && isSameBlock(last.event, event)) {
      const merged = { ...last, event, count: last.count + 1 };
      if (this.#waiting.length > 0) this.#waiting[this.#waiting.length - 1] = merged;
      else {
        this.#entries = this.#entries.slice(0, -1);
        this.#waiting.push(merged);
      }
    } else {
      this.#number += 1;
      this.#waiting.push({ key: String(this.#number), event, count: 1 });
    }
    this.#tell();
  }

  /** Once a frame, however many came in it. */
  #tell(): void {
    if (this.#told) return;
    this.#told = true;
    requestAnimationFrame(() => {
      this.#told = false;
      this.#entries = [...this.#entries, ...this.#waiting].slice(-most);
      this.#waiting = [];
      for (const listener of this.#listeners) listener();
    });
  }
}

function isSameBlock(one: ThreadEvent, other: ThreadEvent): boolean {
  if (one.type !== other.type || !one.type.endsWith("_delta") || one.message_id !== other.message_id) return false;
  const indexOf = (event: ThreadEvent): unknown =>
    "index" in event ? event.index : "tool_call_id" in event ? event.tool_call_id : null;
  return indexOf(one) === indexOf(other);
}
