// The clock of the test Worker: the real one, which a test may put forward instead of waiting.

import type { Clock } from "#core/ports/clock.ts";
import { systemClock } from "#thread/system-clock.ts";

let ahead = 0;

/** Puts the clock forward by so many milliseconds. */
export function skip(ms: number): void {
  ahead += ms * 1000;
}

interface Timer {
  ms: number;
  goOff: () => void;
}

const timers = new Set<Timer>();

/** How many timers wait for `ms` now. */
export function waitingFor(ms: number): number {
  return [...timers].filter((timer) => timer.ms === ms).length;
}

/** Sets off the timers that wait for `ms` now, as though they had waited so long. Call it in the object whose timers they are. */
export function ring(ms: number): void {
  for (const { goOff } of [...timers].filter((timer) => timer.ms === ms)) goOff();
}

/** The clock that threads of the test Worker are given. */
export const testClock: Clock = {
  ...systemClock,
  now: () => systemClock.now() + ahead,
  after(ms, callback) {
    const stop = systemClock.after(ms, () => timer.goOff());
    const disarm = () => {
      timers.delete(timer);
      stop();
    };
    const timer: Timer = {
      ms,
      goOff() {
        disarm();
        callback();
      },
    };
    timers.add(timer);
    return disarm;
  },
};
