// The clock of the test Worker: the real one, which a test may put forward instead of waiting.

import type { Clock } from "#core/ports/clock.ts";
import { systemClock } from "#lib/system-clock.ts";

let ahead = 0;

/** Microseconds by which one thread's clock is ahead of the others. */
const before = new Map<string, number>();

/** Puts the clock forward by this many milliseconds. */
export function skip(ms: number): void {
  ahead += ms * 1000;
}

/** Puts the clock of one thread forward by this many milliseconds. */
export function skipFor(thread: string, ms: number): void {
  before.set(thread, (before.get(thread) ?? 0) + ms * 1000);
}

interface Timer {
  thread: string;
  ms: number;
  goOff: () => void;
}

const timers = new Set<Timer>();

/** Threads whose timers fire only in `ring`, however long a test takes. */
const byHand = new Set<string>();

/** Lets a thread's timers fire only in `ring`. */
export function ringByHand(thread: string): void {
  byHand.add(thread);
}

/** Resets all clocks. */
export function setClockRight(): void {
  ahead = 0;
  before.clear();
  byHand.clear();
}

/** The number of a thread's timers that wait for `ms` now. */
export function waitingFor(thread: string, ms: number): number {
  return timersOf(thread).filter((timer) => timer.ms === ms).length;
}

/** Drops the timers of an object that is gone, so that none of them fires. */
export function forgetTimers(thread: string): void {
  for (const timer of timersOf(thread)) timers.delete(timer);
}

/** The waits of a thread's timers that are longer than `above` and at most `upTo`. */
export function waits(thread: string, { above, upTo }: { above: number; upTo: number }): number[] {
  return timersOf(thread)
    .map(({ ms }) => ms)
    .filter((ms) => ms > above && ms <= upTo);
}

/** Fires a thread's timers that wait for `ms`, as if the time had passed. Call it in the thread's object. */
export function ring(thread: string, ms: number): void {
  for (const { goOff } of timersOf(thread).filter((timer) => timer.ms === ms)) goOff();
}

/** The timers of a thread that wait for `ms` now, as if each of them began now. */
export function begunTimers(thread: string, ms: number) {
  const begun = timersOf(thread).filter((timer) => timer.ms === ms);
  return {
    /** How many of them were not stopped. */
    remaining: () => begun.filter((timer) => timers.has(timer)).length,
    /** Fires those that were not stopped, as if `ms` had passed since they began. Call it in the thread's object. */
    ring() {
      for (const timer of begun) if (timers.has(timer)) timer.goOff();
    },
  };
}

function timersOf(thread: string): Timer[] {
  return [...timers].filter((timer) => timer.thread === thread);
}

/** The time as threads of the test Worker see it. */
export const testClock: Clock = { ...systemClock, now: () => systemClock.now() + ahead };

/** The clock of a thread. */
export function clockOf(thread: string): Clock {
  return {
    ...testClock,
    now: () => testClock.now() + (before.get(thread) ?? 0),
    after(ms, callback) {
      const stop = systemClock.after(ms, () => {
        if (!byHand.has(thread)) timer.goOff();
      });
      const disarm = () => {
        timers.delete(timer);
        stop();
      };
      const timer: Timer = {
        thread,
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
}
