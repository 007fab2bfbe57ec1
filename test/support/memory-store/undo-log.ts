// Transactions over plain memory: every write leaves the step that takes it back, and a throw runs those steps, newest
// first, down to where its transaction began. Nested transactions roll back only their own part.

/** Steps that take writes back. */
export class UndoLog {
  #steps: (() => void)[] = [];
  #depth = 0;

  /** Notes how to take back a write that was just made; forgotten outside of a transaction. */
  note(undo: () => void): void {
    if (this.#depth > 0) this.#steps.push(undo);
  }

  /** Runs work whose writes stay together or not at all. */
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
