// Counts the answers that are read at a time in one isolate. An answer whose object was reset never ends, so an answer without a delta for a
// second does not count. Invariant: the answers are in the order of their last deltas, so a count visits only those that it removes.

/** Milliseconds without a delta after which an answer does not count as being read. */
const recentMs = 1_000;

export class RecentAnswers {
  /** The time of the last delta of each answer. */
  readonly #times = new Map<object, number>();

  /** The number of answers that are being read, after a delta of this one. `now` is in milliseconds. */
  count(answer: object, now: number): number {
    this.#times.delete(answer);
    this.#times.set(answer, now);
    for (const [other, last] of this.#times) {
      if (now - last <= recentMs) break;
      this.#times.delete(other);
    }
    return this.#times.size;
  }

  /** Removes an answer that has ended. */
  delete(answer: object): void {
    this.#times.delete(answer);
  }
}
