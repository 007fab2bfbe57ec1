// The one way the edge and the client wait: a port, so that tests move time by hand.

import { deferred } from "./deferred.ts";
import { systemClock } from "./system-clock.ts";

/** Runs something later. The function given back calls it off. */
export interface Timers {
  after(milliseconds: number, run: () => void): () => void;
}

/** The platform's timers. */
export const platformTimers: Timers = {
  after: systemClock.after,
};

/** A wait that can be called off; called off, it ends at once. */
export interface Pause {
  done: Promise<void>;
  cancel(): void;
}

/** Begins a wait. */
export function pause(timers: Timers, milliseconds: number): Pause {
  const { promise, resolve } = deferred<void>();
  const callOff = timers.after(milliseconds, resolve);
  return {
    done: promise,
    cancel() {
      callOff();
      resolve();
    },
  };
}
