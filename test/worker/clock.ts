// The clock of the test Worker: the real one, which a test may put forward instead of waiting.

import type { Clock } from "#core/ports/clock.ts";
import { systemClock } from "#lib/system-clock.ts";

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

/** Forgets the timers of an object that is dead: nobody may set them off any more. */
export function forgetTimers(): void {
  timers.clear();
}

/** For how long timers wait now, as far as it is more than `above` and at most `upTo`. */
export function waits({ above, upTo }: { above: number; upTo: number }): number[] {
  return [...timers].map(({ ms }) => ms).filter((ms) => ms > above && ms <= upTo);
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
