// Work of a thread outside of its runs: it updates the catalog (the deployment's index of all threads), sends messages to other threads,
// and sweeps files. Pending work is stored in the thread's row, so that a crash loses none of it. Failed work is retried after a pause that
// doubles with each failure.

import type { RetryState } from "#core/record.ts";
import { backOffMs } from "#lib/back-off.ts";

/** One kind of background work. */
export interface BackgroundTask {
  /** True while the row has work that only the thread's alarm repeats after a crash. */
  readonly pending: boolean;
  /** The time of the next attempt of failed work (microseconds). Null if nothing failed, or if some work was not tried yet. */
  readonly dueAt: number | null;
  /** Does the work that is due. Never rejects; a failure is stored with the time of the next attempt. */
  run(): Promise<void>;
}

/** The retry state after another failure at `now` (microseconds). Pauses are milliseconds. */
export function nextRetry(
  previous: Pick<RetryState, "failures"> | null | undefined,
  now: number,
  { firstMs, longestMs }: { firstMs: number; longestMs: number },
): RetryState {
  const failures = (previous?.failures ?? 0) + 1;
  return { failures, at: now + backOffMs(failures, { first: firstMs, longest: longestMs }) * 1000 };
}
