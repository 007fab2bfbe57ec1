// The stream of a request: its events for one reader, and its result. The request begins at once. Once a reader has begun, the request
// reads further parts of an answer only when the reader has taken the events before; without a reader it runs to its end.

import { deferred } from "#lib/deferred.ts";
import { systemClock } from "#lib/system-clock.ts";

import type { TurnObserver } from "./run-turn.ts";
import { StreamEvents } from "./stream-event.ts";
import type { StreamEvent } from "./stream-event.ts";
import { refusal } from "./upp-error.ts";

/** Events that wait for the reader before the request waits for the reader. */
const mostWaiting = 64;

/** Milliseconds between two notices that a request waits for its reader, so that the provider does not count as silent. */
const noticeMs = 1000;

/** A request whose events are read. Leaving the loop over its events aborts the request. */
export class EventStream<Result> implements AsyncIterable<StreamEvent> {
  /** Rejects if the request fails or is aborted. */
  readonly result: Promise<Result>;
  readonly #abort = new AbortController();
  readonly #projection = new StreamEvents();
  readonly #events: StreamEvent[] = [];
  #hasReader = false;
  #end: { error: unknown } | "completed" | null = null;
  /** Wakes the reader when there is an event, and the request when there is room. */
  #wakeReader = () => {};
  #wakeRequest = () => {};

  /** `start` begins the request. */
  constructor(start: (observer: TurnObserver) => Promise<Result>, signal?: AbortSignal) {
    const aborted = this.#abort.signal;
    this.result = start({
      signal: signal === undefined ? aborted : AbortSignal.any([signal, aborted]),
      onEvent: (event, executionOf) => {
        const next = this.#projection.take(event, executionOf);
        if (next === null) return;
        this.#events.push(next);
        this.#wakeReader();
      },
      room: (received) => (this.#isFull() ? this.#room(received) : undefined),
    });
    this.result.then(
      () => this.#finish("completed"),
      (error: unknown) => this.#finish({ error }),
    );
  }

  /** Aborts the request. The running tool receives the signal, and `result` rejects with CANCELLED. */
  abort(): void {
    this.#abort.abort();
    this.#wakeRequest();
  }

  /** The events, from the first one on. A stream can be read once. */
  [Symbol.asyncIterator](): AsyncIterator<StreamEvent, undefined> {
    if (this.#hasReader) throw refusal("The events of a stream can be read once.");
    this.#hasReader = true;
    return {
      next: () => this.#next(),
      return: () => {
        if (this.#end === null) this.abort();
        this.#events.length = 0;
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  async #next(): Promise<IteratorResult<StreamEvent, undefined>> {
    while (this.#events.length === 0 && this.#end === null) {
      const { promise, resolve } = deferred<void>();
      this.#wakeReader = resolve;
      await promise;
    }
    const event = this.#events.shift();
    this.#wakeRequest();
    if (event !== undefined) return { done: false, value: event };
    if (this.#end !== null && this.#end !== "completed") throw this.#end.error;
    return { done: true, value: undefined };
  }

  #isFull(): boolean {
    return this.#hasReader && !this.#abort.signal.aborted && this.#events.length > mostWaiting;
  }

  async #room(received: () => void): Promise<void> {
    while (this.#isFull()) {
      const { promise, resolve } = deferred<void>();
      this.#wakeRequest = resolve;
      const disarm = systemClock.after(noticeMs, resolve);
      await promise;
      disarm();
      received();
    }
  }

  #finish(end: { error: unknown } | "completed"): void {
    this.#end = end;
    this.#wakeReader();
  }
}
