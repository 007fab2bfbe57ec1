// A list of events for asynchronous readers. Each reader receives every event from the first on, whenever it starts.

import { deferred } from "#lib/deferred.ts";

/** A list of events that grows until `end` or `fail`. With `once` it has one reader, and an event is dropped when it is read. */
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
    this.#wakeReaders();
  }

  /** Ends the list: readers finish after the last event. Later calls of `push`, `end` and `fail` change nothing. */
  end(): void {
    if (this.#end === "going") this.#end = "ended";
    this.#wakeReaders();
  }

  /** Ends the list with an error: readers receive the remaining events, then the error. */
  fail(error: unknown): void {
    if (this.#end === "going") this.#end = { error };
    this.#wakeReaders();
  }

  /** Reads all events from the first on and waits for new ones. A reader that stops early does not affect other readers. */
  async *read(): AsyncGenerator<E, void, undefined> {
    for (let position = 0; ;) {
      const event = this.#events[position];
      if (event !== undefined) {
        if (this.#once) this.#events.shift();
        else position += 1;
        yield event;
      } else if (this.#end === "going") await this.#wake.promise;
      else if (this.#end === "ended") return;
      else throw this.#end.error;
    }
  }

  #wakeReaders(): void {
    const { resolve } = this.#wake;
    this.#wake = deferred();
    resolve();
  }
}
