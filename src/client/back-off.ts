// How long to wait before another try: full jitter under a ceiling that doubles, so that clients cut off together do not come
// back together.

/** Bounds of a wait, in milliseconds. */
export interface BackOff {
  /** Ceiling of the first wait. */
  firstMs: number;
  /** Ceiling of every later one. */
  longestMs: number;
}

/** Milliseconds before try number `attempt`, counted from 1 for the second. `random` is from 0 to below 1. */
export function backOffMs(attempt: number, { firstMs, longestMs }: BackOff, random: number): number {
  return Math.round(random * Math.min(longestMs, firstMs * 2 ** Math.min(attempt - 1, 20)));
}
