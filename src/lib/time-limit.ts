// Bounds how long something is waited for that may never answer.

import { deferred } from "./deferred.ts";
import type { Timers } from "./timers.ts";

/** Nothing came in time. */
export class TimeLimitError extends Error {
  override readonly name = "TimeLimitError";

  constructor(milliseconds: number) {
    super(`no answer within ${String(milliseconds)} ms`);
  }
}

/** What the work gives, or a rejection with a `TimeLimitError`. The work is not ended: what it gives later is dropped. */
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
