// The wait before something that failed is tried again: it doubles with each failure, up to a bound.

/** Bounds of a wait, in milliseconds. */
export interface BackOff {
  /** The wait after the first failure. */
  first: number;
  longest: number;
  /** Factor from one wait to the next; 2 by default. */
  growth?: number;
}

/**
 * Milliseconds to wait after `failures` failures in a row, counted from 1. `jitter` is a factor for this one wait, so that
 * clients that failed together do not come back together.
 */
export function backOffMs(failures: number, { first, longest, growth = 2 }: BackOff, jitter = 1): number {
  return Math.round(Math.min(longest, first * growth ** (failures - 1)) * jitter);
}
