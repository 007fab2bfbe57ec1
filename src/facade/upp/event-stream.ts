// The stream of a turn or of an agent's execution: its events for one reader, and its result. The turn begins at once. Without a reader, it
// runs to its end and the events are buffered. After a reader has begun, it pauses while more than `maxBufferedEvents` events are buffered.

import { anySignal } from "#lib/any-signal.ts";
import { deferred } from "#lib/deferred.ts";
import type { Deferred } from "#lib/deferred.ts";
import { systemClock } from "#lib/system-clock.ts";

import type { TurnObserver } from "./run-turn.ts";
import { StreamEvents } from "./stream-event.ts";
import type { StreamEvent } from "./stream-event.ts";
import { refusal } from "./upp-error.ts";

/** The maximum number of buffered events of a stream with a reader. While more are buffered, the request pauses. */
const maxBufferedEvents = 64;

/** The default of `noticeMs`. */
const defaultNoticeMs = 1000;

/** Receives the events of a request. */
export interface StreamSink<Event> {
  /** Aborts when the stream is aborted. */
  readonly signal: AbortSignal;
  readonly emit: (event: Event) => void;
  /**
   * Resolves when the reader can receive further events; undefined if it can now. Calls `keepAlive` every `noticeMs` milliseconds until
   * then, so that the timeout of the provider does not elapse during the pause.
   */
  readonly untilReady: (keepAlive: () => void, noticeMs?: number) => Promise<void> | undefined;
}

/** Observes a turn, and sends its events to the sink. Each turn needs its own observer. */
export function turnObserver({ signal, emit, untilReady }: StreamSink<StreamEvent>): TurnObserver {
  const events = new StreamEvents();
  return {
    signal,
    untilReady,
    onEvent(event, executionOf) {
      const next = events.convert(event, executionOf);
      if (next !== null) emit(next);
    },
    onMedia: (part) => emit(events.convertMedia(part)),
  };
}

type PendingRead<Event> = Deferred<IteratorResult<Event, undefined>>;

/** A request whose events can be read in a `for await` loop. Leaving the loop aborts the request. */
export class EventStream<Result, Event = StreamEvent> implements AsyncIterable<Event> {
  /** Resolves with the result of the turn or the execution; rejects if it fails or is aborted. */
  readonly result: Promise<Result>;
  readonly #abort = new AbortController();
  /** Aborts when the stream is aborted, or when the caller's signal aborts. */
  readonly #signal: AbortSignal;
  readonly #events: Event[] = [];
  #hasReader = false;
  /** Whether the reader has ended its loop early. It then receives no further event. */
  #hasLeft = false;
  #end: { error: unknown } | "completed" | null = null;
  /** The calls of `next` that wait for an event, in order. */
  readonly #reads: PendingRead<Event>[] = [];
  /** Each function resumes one paused request. */
  #resumeRequests: (() => void)[] = [];
  readonly #resumePaused = (): void => {
    for (const resume of this.#resumeRequests.splice(0)) resume();
  };

  /** Calls `start`, which begins the request. */
  constructor(start: (sink: StreamSink<Event>) => Promise<Result>, signal?: AbortSignal) {
    this.#signal = signal === undefined ? this.#abort.signal : anySignal([signal, this.#abort.signal]);
    this.#signal.addEventListener("abort", this.#resumePaused);
    this.result = start({
      signal: this.#signal,
      emit: (event) => {
        if (this.#hasLeft) return;
        const read = this.#reads.shift();
        if (read === undefined) this.#events.push(event);
        else read.resolve({ done: false, value: event });
      },
      untilReady: (keepAlive, noticeMs = defaultNoticeMs) =>
        this.#isFull() ? this.#untilReady(keepAlive, noticeMs) : undefined,
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
    if (this.#hasReader)
      throw refusal("The events of a stream can be read once. Keep them in a list to read them again.");
    this.#hasReader = true;
    return {
      next: () => this.#next(),
      return: () => {
        if (this.#end === null) this.abort();
        this.#hasLeft = true;
        this.#events.length = 0;
        for (const read of this.#reads.splice(0)) read.resolve({ done: true, value: undefined });
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  async #next(): Promise<IteratorResult<Event, undefined>> {
    if (this.#hasLeft) return { done: true, value: undefined };
    const event = this.#events.shift();
    if (event !== undefined) {
      this.#resumePaused();
      return { done: false, value: event };
    }
    if (this.#end === "completed") return { done: true, value: undefined };
    if (this.#end !== null) throw this.#end.error;
    const read: PendingRead<Event> = deferred();
    this.#reads.push(read);
    return read.promise;
  }

  #isFull(): boolean {
    return this.#hasReader && !this.#signal.aborted && this.#events.length > maxBufferedEvents;
  }

  async #untilReady(keepAlive: () => void, noticeMs: number): Promise<void> {
    while (this.#isFull()) {
      const { promise, resolve } = deferred<void>();
      this.#resumeRequests.push(resolve);
      const cancelTimer = systemClock.after(noticeMs, resolve);
      await promise;
      cancelTimer();
      keepAlive();
    }
  }

  #finish(end: { error: unknown } | "completed"): void {
    this.#end = end;
    // A combined signal stays in memory as long as it has a listener, so the listener is removed.
    this.#signal.removeEventListener("abort", this.#resumePaused);
    for (const read of this.#reads.splice(0)) {
      if (end === "completed") read.resolve({ done: true, value: undefined });
      else read.reject(end.error);
    }
  }
}
