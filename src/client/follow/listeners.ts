// A set of listeners. If a listener throws, the other listeners are still called. The error is rethrown in a microtask, so that the
// platform reports it as uncaught.

/** A set of listeners. */
export class Listeners<A extends unknown[]> {
  readonly #all = new Set<{ call: (...values: A) => void }>();

  get size(): number {
    return this.#all.size;
  }

  /** Adds a listener; the same function may be added twice. The returned function removes it. */
  add(listener: (...values: A) => void): () => void {
    const entry = { call: listener };
    this.#all.add(entry);
    return () => void this.#all.delete(entry);
  }

  notify(...values: A): void {
    for (const { call } of this.#all) {
      try {
        call(...values);
      } catch (thrown) {
        queueMicrotask(() => {
          throw thrown;
        });
      }
    }
  }
}
