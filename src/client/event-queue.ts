// Events that are kept until they are read, for any number of readers who come when they like and each see all of them.

import { deferred } from "#lib/deferred.ts";

/** A list of events that grows. With `once` it has one reader, and what was read is let go. */
export class EventQueue<E> {
  readonly #once: boolean;
  readonly #events: E[] = [];
  #end: { error: unknown } | "going" | "ended" = "going";
  #wake = deferred<void>();

  constructor({ once = false } = {}) {
    this.#once = once;
  }

  push(event: E): void {
    if (this.#end !== "going") return;
    this.#events.push(event);
    this.#stir();
  }

  /** Nothing more comes. */
  end(): void {
    if (this.#end === "going") this.#end = "ended";
    this.#stir();
  }

  /** Nothing more comes, and whoever reads is told why. */
  fail(error: unknown): void {
    if (this.#end === "going") this.#end = { error };
    this.#stir();
  }

  /** All of them from the first on. Leaving the loop leaves the events to others. */
  async *read(): AsyncGenerator<E, void, undefined> {
    for (let at = 0; ;) {
      const event = this.#events[at];
      if (event !== undefined) {
        if (this.#once) this.#events.shift();
        else at += 1;
        yield event;
      } else if (this.#end === "going") await this.#wake.promise;
      else if (this.#end === "ended") return;
      else throw this.#end.error;
    }
  }

  #stir(): void {
    const { resolve } = this.#wake;
    this.#wake = deferred();
    resolve();
  }
}
