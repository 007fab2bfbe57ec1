// Calls the functions of a program inside a loop: hooks, queues, filters. The first one that throws ends the loop as failed: the running
// request and calls are cancelled, and the error is the last message. Contract: a loop that is cancelled does not wait for a function.

import { anySignal } from "#lib/any-signal.ts";
import { errorMessage } from "#lib/cut-text.ts";
import { consoleLog } from "#lib/log-port.ts";

import { LoopError } from "./loop-error.ts";
import { isAbortOf, isWronglyAsync, waitFor } from "./program-functions.ts";

/** The functions of one loop. */
export class HookCalls {
  readonly #cancel: AbortSignal;
  readonly #stopping = new AbortController();
  /** Aborted when the loop is cancelled, or is stopped here. */
  readonly signal: AbortSignal;
  #thrown: { error: unknown } | null = null;

  /** `cancel` is the signal that cancels the loop. */
  constructor(cancel: AbortSignal) {
    this.#cancel = cancel;
    this.signal = anySignal([cancel, this.#stopping.signal]);
  }

  get hasThrown(): boolean {
    return this.#thrown !== null;
  }

  /** The text of the first error; null if no function threw. */
  get error(): string | null {
    return this.#thrown === null ? null : errorMessage(this.#thrown.error);
  }

  /** Cancels the running request and calls, and the waits for functions that have begun. */
  stop(): void {
    this.#stopping.abort();
  }

  fail(error: unknown): void {
    // The first error alone is the last message of the loop.
    if (this.hasThrown) consoleLog("error", "loop_hook_failed", { error: errorMessage(error) });
    this.#thrown ??= { error };
    this.stop();
  }

  /** Waits for what a function returned. A function that begins after `stop` is waited for until the loop is cancelled. */
  wait<T>(work: T | PromiseLike<T>): T | Promise<T> {
    return waitFor(work, this.signal.aborted ? this.#cancel : this.signal);
  }

  /** Calls an asynchronous function. Returns `absent` if it returned nothing, threw, or the loop was stopped first. */
  call<T>(work: () => T | PromiseLike<T> | undefined, absent: T): Promise<T> {
    return this.guard(() => this.wait<T | undefined>(work()), absent);
  }

  /** As `call`, for work that waits for each of its functions by itself. */
  async guard<T>(work: () => T | Promise<T | undefined> | undefined, absent: T): Promise<T> {
    try {
      return (await work()) ?? absent;
    } catch (error) {
      if (!isAbortOf(error, this.signal, this.#cancel)) this.fail(error);
      return absent;
    }
  }

  /** Calls a synchronous function, the option `name`. Its promise is refused. */
  callNow<T>(name: string, work: () => T | undefined, absent: T): T {
    try {
      const returned = work();
      if (isWronglyAsync(returned))
        throw new LoopError(`The option \`${name}\` returned a promise. It has to be synchronous.`);
      return returned ?? absent;
    } catch (error) {
      this.fail(error);
      return absent;
    }
  }
}
