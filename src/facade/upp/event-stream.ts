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

/** Where a request sends its events. */
export interface StreamSink<Event> {
  /** Aborts when the stream is aborted. */
  readonly signal: AbortSignal;
  readonly emit: (event: Event) => void;
  /** Resolves when the reader has room for more. `received` is called while it waits. Undefined: there is room. */
  readonly room: (received: () => void) => Promise<void> | undefined;
}

/** Observes a turn, and sends its events to the sink. Each turn needs its own observer. */
export function turnObserver({ signal, emit, room }: StreamSink<StreamEvent>): TurnObserver {
  const projection = new StreamEvents();
  return {
    signal,
    room,
    onEvent(event, executionOf) {
      const next = projection.take(event, executionOf);
      if (next !== null) emit(next);
    },
  };
}

/** A request whose events are read. Leaving the loop over its events aborts the request. */
export class EventStream<Result, Event = StreamEvent> implements AsyncIterable<Event> {
  /** Rejects if the request fails or is aborted. */
  readonly result: Promise<Result>;
  readonly #abort = new AbortController();
  /** Aborts with the stream, or with the signal of the caller. */
  readonly #signal: AbortSignal;
  readonly #events: Event[] = [];
  #hasReader = false;
  #end: { error: unknown } | "completed" | null = null;
  /** Wakes the reader when there is an event. */
  #wakeReader = () => {};
  /** Wake the requests that wait for room. */
  #waiting: (() => void)[] = [];

  /** `start` begins the request. */
  constructor(start: (sink: StreamSink<Event>) => Promise<Result>, signal?: AbortSignal) {
    this.#signal = signal === undefined ? this.#abort.signal : AbortSignal.any([signal, this.#abort.signal]);
    this.#signal.addEventListener("abort", () => this.#wakeRequests(), { once: true });
    this.result = start({
      signal: this.#signal,
      emit: (event) => {
        this.#events.push(event);
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
  }

  /** The events, from the first one on. A stream can be read once. */
  [Symbol.asyncIterator](): AsyncIterator<Event, undefined> {
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

  async #next(): Promise<IteratorResult<Event, undefined>> {
    while (this.#events.length === 0 && this.#end === null) {
      const { promise, resolve } = deferred<void>();
      this.#wakeReader = resolve;
      await promise;
    }
    const event = this.#events.shift();
    this.#wakeRequests();
    if (event !== undefined) return { done: false, value: event };
    if (this.#end !== null && this.#end !== "completed") throw this.#end.error;
    return { done: true, value: undefined };
  }

  #isFull(): boolean {
    return this.#hasReader && !this.#signal.aborted && this.#events.length > mostWaiting;
  }

  async #room(received: () => void): Promise<void> {
    while (this.#isFull()) {
      const { promise, resolve } = deferred<void>();
      this.#waiting.push(resolve);
      const disarm = systemClock.after(noticeMs, resolve);
      await promise;
      disarm();
      received();
    }
  }

  #wakeRequests(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #finish(end: { error: unknown } | "completed"): void {
    this.#end = end;
    this.#wakeReader();
  }
}
