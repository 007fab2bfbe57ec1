// The numbers of a thread's events: they rise and none is used twice. A million at a time is reserved in a row that is
// written anyway; what a crash leaves unused is skipped (architecture §5.6).

import type { ThreadRecord } from "#core/record.ts";

/** How many numbers a reservation covers. */
export const reservation = 1_000_000;

/** Below this many left, the next row that is written reserves more. */
const lowWater = reservation / 2;

/** Contract: `next` never gives a number beyond what is reserved without asking `reserve` to write first. */
export class EventNumbers {
  readonly #thread: () => ThreadRecord;
  readonly #reserve: () => void;
  #last: number;

  /** `afterCrash`: the numbers in use when the object died are unknown, so go on at the mark. */
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

  /** The mark to write with the thread's row. */
  mark(): number {
    const { seq_reserved } = this.#thread();
    return seq_reserved - this.#last < lowWater ? this.#last + reservation : seq_reserved;
  }
}
