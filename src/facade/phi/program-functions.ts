// The values that functions of a program return: waits for a promise until the loop is cancelled, and recognizes a promise where the function
// has to be synchronous. Invariant: no promise of a program is left without a handler of its rejection.

import { errorMessage } from "#lib/cut-text.ts";
import { fieldsOf } from "#lib/json-value.ts";
import { consoleLog } from "#lib/log-port.ts";

/** Whether a value is a promise. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof fieldsOf(value)["then"] === "function";
}

/** Whether a function that has to be synchronous returned a promise. Its rejection is ignored, because the caller refuses the promise. */
export function isWronglyAsync(value: unknown): boolean {
  if (!isPromise(value)) return false;
  value.then(undefined, () => {});
  return true;
}

/**
 * The value of a promise. Rejects with the signal's reason if the signal is aborted first. A promise that has settled counts also after an
 * abort, so a function that begins then is called, and the loop does not wait for it.
 */
export function waitFor<T>(work: T | PromiseLike<T>, signal: AbortSignal): T | Promise<T> {
  if (!isPromise(work)) return work;
  return new Promise((resolve, reject) => {
    let isAbandoned = false;
    const abandon = (): void => {
      isAbandoned = true;
      reject(signal.reason as Error);
    };
    const release = (): void => signal.removeEventListener("abort", abandon);
    work.then(
      (value) => {
        release();
        resolve(value as T);
      },
      (error: unknown) => {
        release();
        // Nothing waits for this error any more. The reason of the abort is no error.
        if (isAbandoned && error !== signal.reason)
          consoleLog("warning", "loop_function_failed", { error: errorMessage(error) });
        else reject(error as Error);
      },
    );
    // In this order a promise that has settled is read first.
    if (signal.aborted) queueMicrotask(abandon);
    else signal.addEventListener("abort", abandon);
  });
}

/** Whether an error is the reason of an aborted signal: a wait ended because the loop was cancelled. */
export function isAbortOf(error: unknown, ...signals: readonly AbortSignal[]): boolean {
  return signals.some(({ aborted, reason }) => aborted && error === reason);
}
