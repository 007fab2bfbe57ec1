// Work of a thread outside of its runs: it updates the catalog (the deployment's index of all threads), sends messages to other threads,
// and sweeps files. Pending work is stored in the thread's row, so that a crash loses none of it. Failed work is retried after a pause that
// doubles with each failure and has a random part.

import type { Clock } from "#core/ports/clock.ts";
import type { RetryState } from "#core/record/record.ts";
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

/** The retry state after another failure. */
export function nextRetry(
  previous: Pick<RetryState, "failures"> | null | undefined,
  { clock, random }: { clock: Clock; random: () => number },
  pauses: RetryPauses,
): RetryState {
  const failures = (previous?.failures ?? 0) + 1;
  return { failures, at: clock.now() + retryPauseMs(failures, random, pauses) * 1000 };
}

/** The pauses of retries in milliseconds: they double from the first to the longest. */
interface RetryPauses {
  firstMs: number;
  longestMs: number;
}

/**
 * Milliseconds until a retry, multiplied by a random factor from 0.5 to 1.5: after an outage that many threads had in common, they do not
 * return at the same time. `random` returns a number from 0 up to 1.
 */
export function retryPauseMs(failures: number, random: () => number, { firstMs, longestMs }: RetryPauses): number {
  return backOffMs(failures, { first: firstMs, longest: longestMs }, 0.5 + random());
}
