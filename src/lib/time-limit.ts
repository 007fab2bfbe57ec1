// Bounds the wait for work that may never settle, by time and by a signal. The work is not cancelled; its later result is dropped.

import type { Timers } from "./timers.ts";

/** The work did not settle in time. */
export class TimeLimitError extends Error {
  override readonly name = "TimeLimitError";

  constructor(milliseconds: number) {
    super(`no answer within ${String(milliseconds)} ms`);
  }
}

/** Bounds of a wait. The functions return the result in place of that of the work, or throw. */
export interface WaitBounds<T> {
  timers: Timers;
  milliseconds: number;
  onTimeout: () => T;
  /** Absent: no signal ends the wait. A signal that is aborted already ends it at once. */
  abort?: { signal: AbortSignal; onAbort: () => T } | undefined;
}

/** The result of the work, or of the bound that is reached first. The bounds are set before the work begins. */
export async function waitWithin<T>(
  work: () => Promise<T>,
  { timers, milliseconds, onTimeout, abort }: WaitBounds<T>,
): Promise<T> {
  let release = (): void => {};
  const bound = new Promise<T>((resolve, reject) => {
    const end = (result: () => T): void => {
      try {
        resolve(result());
      } catch (thrown) {
        reject(thrown as Error);
      }
    };
    const disarm = timers.after(milliseconds, () => end(onTimeout));
    const aborted = (): void => abort && end(abort.onAbort);
    if (abort?.signal.aborted === true) aborted();
    abort?.signal.addEventListener("abort", aborted);
    release = () => {
      disarm();
      abort?.signal.removeEventListener("abort", aborted);
    };
  });
  try {
    return await Promise.race([work(), bound]);
  } finally {
    release();
    // The work may reject first, so that no other code handles a bound that throws.
    bound.catch(() => undefined);
  }
}

/** The result of the work, or a rejection with a `TimeLimitError`. */
export function withinTime<T>(
  work: Promise<T>,
  { timers, milliseconds }: { timers: Timers; milliseconds: number },
): Promise<T> {
  const onTimeout = (): never => {
    throw new TimeLimitError(milliseconds);
  };
  return waitWithin(() => work, { timers, milliseconds, onTimeout });
}
