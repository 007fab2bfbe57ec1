// Transactions over plain memory: every write records a step that undoes it. An exception runs these steps, newest
// first, back to the start of its transaction. Nested transactions roll back only their own part.

/** The steps that undo writes. */
export class UndoLog {
  #steps: (() => void)[] = [];
  #depth = 0;

  /** Records how to undo a write that was just made. Outside of a transaction nothing is recorded. */
  note(undo: () => void): void {
    if (this.#depth > 0) this.#steps.push(undo);
  }

  /** Runs a function as a transaction: all of its writes stay, or none. */
  transaction<T>(work: () => T): T {
    const start = this.#steps.length;
    this.#depth += 1;
    try {
      return work();
    } catch (error) {
      for (const undo of this.#steps.splice(start).toReversed()) undo();
      throw error;
    } finally {
      this.#depth -= 1;
      if (this.#depth === 0) this.#steps = [];
    }
  }
}
