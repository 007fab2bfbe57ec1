// Assigns ascending numbers to a thread's events; no number is used twice. The thread's row reserves a million numbers at a time, when it
// is written anyway. The rest of the reservation is skipped after a crash, and if the thread is loaded while a run is active
// (architecture §5.6).

import type { ThreadRecord } from "#core/record/record.ts";

/** The count of numbers in a reservation. */
export const reservation = 1_000_000;

/** If fewer reserved numbers remain, the next write of the row reserves more. */
const lowWater = reservation / 2;

/** Contract: when no reserved number remains, `next` first calls `reserve`, which writes a new reservation. */
export class EventNumbers {
  readonly #thread: () => ThreadRecord;
  readonly #reserve: () => void;
  #last: number;

  /** `afterCrash`: it is unknown which reserved numbers were used before the crash, so numbering continues after the reservation. */
  constructor(thread: () => ThreadRecord, { afterCrash, reserve }: { afterCrash: boolean; reserve: () => void }) {
    this.#thread = thread;
    this.#reserve = reserve;
    const record = thread();
    this.#last = afterCrash ? record.seq_reserved : record.last_seq;
  }

  get last(): number {
    return this.#last;
  }

  next(): number {
    if (this.#last >= this.#thread().seq_reserved) this.#reserve();
    this.#last += 1;
    return this.#last;
  }

  /** The highest reserved number, to write with the thread's row. */
  mark(): number {
    const { seq_reserved } = this.#thread();
    return seq_reserved - this.#last < lowWater ? this.#last + reservation : seq_reserved;
  }
}
