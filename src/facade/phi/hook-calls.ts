// Calls the functions of a program inside a loop: hooks, queues, filters. The first one that throws ends the loop as failed: the running
// request and calls are cancelled, and the error is the last message.

/** The functions of one loop. */
export class HookCalls {
  readonly #failing = new AbortController();
  #thrown: { error: unknown } | null = null;

  /** The signal that is aborted when a function threw. */
  get signal(): AbortSignal {
    return this.#failing.signal;
  }

  get hasThrown(): boolean {
    return this.#thrown !== null;
  }

  /** The text of the first error; null if no function threw. */
  get error(): string | null {
    if (this.#thrown === null) return null;
    const { error } = this.#thrown;
    return error instanceof Error ? error.message : String(error);
  }

  fail(error: unknown): void {
    this.#thrown ??= { error };
    this.#failing.abort();
  }

  /** Calls an asynchronous function. Returns `absent` if it returned nothing, or threw. */
  async call<T>(work: () => T | Promise<T> | undefined, absent: T): Promise<T> {
    try {
      return (await work()) ?? absent;
    } catch (error) {
      this.fail(error);
      return absent;
    }
  }

  /** Calls a synchronous function. */
  callNow<T>(work: () => T | undefined, absent: T): T {
    try {
      return work() ?? absent;
    } catch (error) {
      this.fail(error);
      return absent;
    }
  }
}
