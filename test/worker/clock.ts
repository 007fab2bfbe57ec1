// The clock of the test Worker: the real one, which a test may put forward instead of waiting.

import type { Clock } from "#core/ports/clock.ts";
import { systemClock } from "#thread/system-clock.ts";

let ahead = 0;

/** Puts the clock forward by so many milliseconds. */
export function skip(ms: number): void {
  ahead += ms * 1000;
}

/** The clock that threads of the test Worker are given. */
export const testClock: Clock = { ...systemClock, now: () => systemClock.now() + ahead };
