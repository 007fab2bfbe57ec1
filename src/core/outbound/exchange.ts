// The life of one outbound call, from its first request to the last byte of its body: what ends it early and that nothing
// of it is left when it is over. Invariant: it fails at most once, and after its end nothing fails it.

import type { Turns } from "#lib/bounded-fetch.ts";

import type { Clock } from "../ports/clock.ts";

/** How requests leave. */
export interface Way {
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** The platform bounds how many requests wait for headers at once. */
  inTurn: Turns;
  clock: Clock;
}

/** Bounds of a request's time, and what breaking them means. */
export interface RequestBounds {
  headersMs: number;
  slowHeaders: () => Error;
  broken: () => Error;
}

/** Timers know no longer time than this; what is meant to last longer is not timed. */
const longestTimer = 2 ** 31 - 1;

export class Exchange {
  readonly #way: Way;
  readonly #control = new AbortController();
  readonly #outer: AbortSignal | null;
  readonly #atEnd = new Set<() => void>();
  #over = false;
  #onDispatch: (() => void) | null = null;

  constructor(way: Way, outer: AbortSignal | null | undefined) {
    this.#way = way;
    this.#outer = outer ?? null;
    const aborted = () => this.fail(this.#outer?.reason);
    if (this.#outer?.aborted === true) aborted();
    else this.#outer?.addEventListener("abort", aborted, { once: true });
    this.#atEnd.add(() => this.#outer?.removeEventListener("abort", aborted));
  }

  /** Aborts when the call fails, with what it failed of. */
  get signal(): AbortSignal {
    return this.#control.signal;
  }

  /** Ends the call with an error: requests and bodies that are under way break off. */
  fail(error: unknown): void {
    if (this.#over) return;
    this.end();
    this.#control.abort(error);
  }

  /** The call is over. Its timers are gone. */
  end(): void {
    this.#over = true;
    for (const tidyUp of this.#atEnd) tidyUp();
    this.#atEnd.clear();
  }

  /** Fails the call after `ms`, unless the returned function is called or the call is over first. */
  limit(ms: number, error: () => Error): () => void {
    if (this.#over || ms > longestTimer) return () => undefined;
    const disarm = this.#way.clock.after(ms, () => this.fail(error()));
    this.#atEnd.add(disarm);
    return () => {
      this.#atEnd.delete(disarm);
      disarm();
    };
  }

  /** Bounds the whole call, counted from when its first request is sent: waiting for a turn is not the other side's fault. */
  limitFromDispatch(ms: number, error: () => Error): void {
    this.#onDispatch = () => this.limit(ms, error);
  }

  /** Sends one request, never following redirects. Rejects with what the call failed of. */
  async send(url: URL, init: RequestInit, bounds: RequestBounds): Promise<Response> {
    let disarm = (): void => undefined;
    try {
      this.signal.throwIfAborted();
      return await this.#way.inTurn(this.signal, () => {
        this.#onDispatch?.();
        this.#onDispatch = null;
        disarm = this.limit(bounds.headersMs, bounds.slowHeaders);
        return this.#way.fetch(url.href, { ...init, redirect: "manual", signal: this.signal });
      });
    } catch {
      // What the platform says of it may hold the URL, so it is not passed on.
      this.fail(bounds.broken());
      this.signal.throwIfAborted();
      throw bounds.broken();
    } finally {
      disarm();
    }
  }
}
