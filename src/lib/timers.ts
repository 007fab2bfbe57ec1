// The port for timers of the HTTP layer and the client, so that tests control the time.

import { deferred } from "./deferred.ts";
import { after } from "./system-clock.ts";

/** Calls `run` later. The returned function cancels it. */
export interface Timers {
  after(milliseconds: number, run: () => void): () => void;
}

/** The platform's timers. */
export const platformTimers: Timers = { after };

/** A wait that can be cancelled. When it is, `done` resolves at once. */
export interface Pause {
  done: Promise<void>;
  cancel(): void;
}

/** Starts a wait. */
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
