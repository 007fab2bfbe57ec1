// Waits for the functions of a program, such as hooks and middleware, until the execution is aborted. Such a function may wait for a person
// or a network, and may ignore the signal.

import { fieldsOf } from "#lib/json-value.ts";

import { cancelled } from "../upp/failure-error.ts";

/**
 * Returns the value that a function returned. For a promise, returns a promise that rejects with CANCELLED when the signal aborts first. A later
 * result of the function is then ignored.
 */
export function abortable<T>(returned: T, signal: AbortSignal | undefined): T | Promise<Awaited<T>> {
  if (signal === undefined || typeof fieldsOf(returned)["then"] !== "function") return returned;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(cancelled("", signal.reason));
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    const ended = (): void => signal.removeEventListener("abort", abort);
    Promise.resolve(returned).then(resolve, reject).then(ended, ended);
  });
}

/** Calls `onError` and waits as `abortable` does. After an abort it waits until `onError` ends, because `onError` may store data then. */
export function abortableOnError<T>(call: () => T, signal: AbortSignal | undefined): T | Promise<Awaited<T>> {
  return signal?.aborted === true ? call() : abortable(call(), signal);
}
