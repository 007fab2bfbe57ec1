// The rows whose untold events come first, out of any number that are looked at in any order: what a part of a replay is
// made of. A row's events may lie far apart (a call is told around everything that happens under it), so the order in which
// rows are stored does not say which comes next; the number of its first untold event does.

import type { MessageRecord, StoredEvent } from "#core/record.ts";

/** Rows, and UTF-16 units of their JSON, that are kept at most; one row is always kept. */
export interface RowBounds {
  rows: number;
  size: number;
}

interface Kept {
  first: number;
  size: number;
  events: readonly StoredEvent[];
  message: MessageRecord | null;
}

/** Keeps the earliest within bounds. */
export class EarliestRows {
  readonly #after: number;
  readonly #bounds: RowBounds;
  /** By the first untold number, lowest first. */
  readonly #kept: Kept[] = [];
  #size = 0;
  #leftOutFrom: number | null = null;

  /** Events up to `after` are told. */
  constructor(after: number, bounds: RowBounds) {
    this.#after = after;
    this.#bounds = bounds;
  }

  /** First untold number of the rows that were left out; null while all were kept. */
  get leftOutFrom(): number | null {
    return this.#leftOutFrom;
  }

  /** UTF-16 units of the JSON of what was kept. */
  get size(): number {
    return this.#size;
  }

  /** Everything from this number on is left to a later part. */
  isLater(seq: number): boolean {
    return this.#leftOutFrom !== null && seq >= this.#leftOutFrom;
  }

  /** Looks at a row. */
  offer(row: { events: readonly StoredEvent[] }, message: MessageRecord | null = null): void {
    const first = row.events.find(({ seq }) => seq > this.#after)?.seq;
    if (first === undefined || this.isLater(first)) return;
    const size = JSON.stringify(row).length;
    const behind = this.#kept.findLastIndex((known) => known.first < first);
    this.#kept.splice(behind + 1, 0, { first, size, events: row.events, message });
    this.#size += size;
    while (this.#isOver()) {
      const last = this.#kept.pop();
      if (last === undefined) return;
      this.#size -= last.size;
      this.#leftOutFrom = last.first;
    }
  }

  /** The untold events of what was kept, up to those that were left out, in order. */
  events(): StoredEvent[] {
    return this.#kept
      .flatMap(({ events }) => events.filter(({ seq }) => seq > this.#after && !this.isLater(seq)))
      .sort((left, right) => left.seq - right.seq);
  }

  /** The messages among what was kept. */
  messages(): MessageRecord[] {
    return this.#kept.flatMap(({ message }) => message ?? []);
  }

  #isOver(): boolean {
    return this.#kept.length > 1 && (this.#kept.length > this.#bounds.rows || this.#size > this.#bounds.size);
  }
}
