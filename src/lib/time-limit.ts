// Bounds the wait for a promise that may never settle.

import { deferred } from "./deferred.ts";
import type { Timers } from "./timers.ts";

/** The promise did not settle in time. */
export class TimeLimitError extends Error {
  override readonly name = "TimeLimitError";

  constructor(milliseconds: number) {
    super(`no answer within ${String(milliseconds)} ms`);
  }
}

/** The result of the work, or a rejection with a `TimeLimitError`. The work is not cancelled; its later result is dropped. */
export async function withinTime<T>(
  work: Promise<T>,
  { timers, milliseconds }: { timers: Timers; milliseconds: number },
): Promise<T> {
  const { promise: late, reject } = deferred<never>();
  const callOff = timers.after(milliseconds, () => reject(new TimeLimitError(milliseconds)));
  try {
    return await Promise.race([work, late]);
  } finally {
    callOff();
  }
}
