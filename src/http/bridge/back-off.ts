// How long to wait before attaching again: longer each time, never over five seconds, for as long as someone reads.

const firstMs = 100;
const longestMs = 5000;

/** Milliseconds before try number `attempt`, counted from 1. */
export function backOffMs(attempt: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(attempt - 1, 10));
}
