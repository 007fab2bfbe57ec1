// Times that order what this process saves, also within a millisecond and when the clock goes back.

let last = 0;

/** Microseconds since the epoch, later than every time that this function returned before. */
export function increasingTime(): number {
  last = Math.max(Date.now() * 1000, last + 1);
  return last;
}
