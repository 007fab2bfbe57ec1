// Who wants to be told. One that throws spoils nothing for the others and is not silenced: its error is thrown where nobody is
// in the way of it.

/** A set of listeners. */
export class Listeners<A extends unknown[]> {
  readonly #all = new Set<{ call: (...told: A) => void }>();

  get size(): number {
    return this.#all.size;
  }

  /** Adds one; the same function may be added twice. The function given back takes it out again. */
  add(call: (...told: A) => void): () => void {
    const entry = { call };
    this.#all.add(entry);
    return () => void this.#all.delete(entry);
  }

  tell(...told: A): void {
    for (const { call } of this.#all) {
      try {
        call(...told);
      } catch (thrown) {
        queueMicrotask(() => {
          throw thrown;
        });
      }
    }
  }
}
