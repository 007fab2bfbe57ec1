// Divides a long computation into slices, with a task of the event loop between two of them, so that other requests are served in between.
// A slice is measured in counted work, not in time, because a Worker's clock does not advance while it computes.

import { systemClock } from "./system-clock.ts";

/** The slices of one computation. */
export class WorkSlices {
  readonly #size: number;
  readonly #signal: AbortSignal;
  #done = 0;

  /**
   * `size` is the work of one slice, in the unit of `count`. The default signal is created here, because older runtimes refuse to create
   * one at module level.
   */
  constructor(size: number, signal: AbortSignal = new AbortController().signal) {
    this.#size = size;
    this.#signal = signal;
  }

  /** Counts work. Returns true if the slice is full: then await `next` before more work. */
  count(work: number): boolean {
    this.#done += work;
    return this.#done >= this.#size;
  }

  /** Begins the next slice, in a later task. Rejects with the signal's reason once the signal is aborted. */
  async next(): Promise<void> {
    this.#done = 0;
    await systemClock.sleep(0, this.#signal);
  }
}
