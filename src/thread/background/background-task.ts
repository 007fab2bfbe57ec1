// Work that a thread does besides its runs: it updates the catalog, sends messages to other threads, sweeps files. The work to do
// is stored in the thread's row, so that a crash loses none of it, and what fails is tried again after a pause that doubles.

import type { RetryState } from "#core/record.ts";

/** One kind of work. */
export interface BackgroundTask {
  /** Stored work has to be done that nothing but the thread's alarm repeats after a crash. */
  readonly pending: boolean;
  /** When the work that failed is due again (microseconds). Null if nothing failed, or if some work was not tried yet. */
  readonly dueAt: number | null;
  /** Does what is due. Never rejects; a failure is stored with the time of the next attempt. */
  run(): Promise<void>;
}

/** The state after one more failure at `now` (microseconds). Pauses are milliseconds. */
export function nextRetry(
  previous: Pick<RetryState, "failures"> | null | undefined,
  now: number,
  { firstMs, longestMs }: { firstMs: number; longestMs: number },
): RetryState {
  const failures = (previous?.failures ?? 0) + 1;
  const pauseMs = Math.min(firstMs * 2 ** (failures - 1), longestMs);
  return { failures, at: now + pauseMs * 1000 };
}
