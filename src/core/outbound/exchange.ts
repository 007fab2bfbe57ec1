// One outbound call, from its first request to the last byte of its response body: its time limits, its abort signal, and the release
// of both at the end. Invariant: it fails at most once, and not after its end.

import type { RequestQueue } from "#lib/bounded-fetch.ts";

import type { Clock } from "../ports/clock.ts";

/** How requests are sent. */
export interface Transport {
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Queues requests, since the platform bounds how many may wait for response headers at once. */
  inTurn: RequestQueue;
  clock: Clock;
}

/** The time limits of a request, and the errors for exceeding them. */
export interface RequestBounds {
  headersMs: number;
  slowHeaders: () => Error;
  broken: () => Error;
}

/** The longest delay of a timer, in milliseconds. A longer limit is not enforced. */
const maxTimerMs = 2 ** 31 - 1;

export class Exchange {
  readonly #transport: Transport;
  readonly #control = new AbortController();
  readonly #outer: AbortSignal | null;
  readonly #atEnd = new Set<() => void>();
  #isOver = false;
  #onDispatch: (() => void) | null = null;

  constructor(transport: Transport, outer: AbortSignal | null | undefined) {
    this.#transport = transport;
    this.#outer = outer ?? null;
    const aborted = () => this.fail(this.#outer?.reason);
    if (this.#outer?.aborted === true) aborted();
    else this.#outer?.addEventListener("abort", aborted, { once: true });
    this.#atEnd.add(() => this.#outer?.removeEventListener("abort", aborted));
  }

  /** Aborts when the call fails; the reason is the error. */
  get signal(): AbortSignal {
    return this.#control.signal;
  }

  /** Ends the call with an error. Requests and bodies in progress are aborted. */
  fail(error: unknown): void {
    if (this.#isOver) return;
    this.end();
    this.#control.abort(error);
  }

  /** Ends the call and clears its timers. */
  end(): void {
    this.#isOver = true;
    for (const release of this.#atEnd) release();
    this.#atEnd.clear();
  }

  /** Fails the call after `ms`, unless the returned function is called or the call ends before that. */
  limit(ms: number, error: () => Error): () => void {
    if (this.#isOver || ms > maxTimerMs) return () => undefined;
    const disarm = this.#transport.clock.after(ms, () => this.fail(error()));
    this.#atEnd.add(disarm);
    return () => {
      this.#atEnd.delete(disarm);
      disarm();
    };
  }

  /** Limits the time of the whole call from when its first request is sent. The time in the queue of requests does not count. */
  limitFromDispatch(ms: number, error: () => Error): void {
    this.#onDispatch = () => this.limit(ms, error);
  }

  /** Sends one request and does not follow redirects. Rejects with the error of the call. */
  async send(url: URL, init: RequestInit, bounds: RequestBounds): Promise<Response> {
    let disarm = (): void => undefined;
    try {
      this.signal.throwIfAborted();
      return await this.#transport.inTurn(this.signal, () => {
        this.#onDispatch?.();
        this.#onDispatch = null;
        disarm = this.limit(bounds.headersMs, bounds.slowHeaders);
        return this.#transport.fetch(url.href, { ...init, redirect: "manual", signal: this.signal });
      });
    } catch {
      // The platform's error message may contain the URL, so it is not passed on.
      this.fail(bounds.broken());
      this.signal.throwIfAborted();
      throw bounds.broken();
    } finally {
      disarm();
    }
  }
}
