// Computes how long to wait before a failed operation is retried. The wait grows with each failure, up to a maximum; a jitter factor is
// applied afterwards.

/** The parameters of a back-off, in milliseconds. */
export interface BackOff {
  /** The wait after the first failure. */
  first: number;
  longest: number;
  /** Factor from one wait to the next; 2 by default. */
  growth?: number;
}

/**
 * Milliseconds to wait after `failures` failures in a row, counted from 1. `jitter` is a random factor, so that clients that failed
 * at the same time retry at different times.
 */
export function backOffMs(failures: number, { first, longest, growth = 2 }: BackOff, jitter = 1): number {
  return Math.round(Math.min(longest, first * growth ** (failures - 1)) * jitter);
}
