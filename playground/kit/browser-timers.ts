// The browser's timers, for what tests move through time by hand.

import type { Timers } from "threadhold/client";

/** Calls back after milliseconds, unless the returned function is called first. */
export const browserTimers: Timers = {
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};
