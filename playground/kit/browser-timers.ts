// The browser's timers, as an object that tests can replace.

import type { Timers } from "threadhold/client";

/** Calls back after milliseconds, unless the returned function is called first. */
export const browserTimers: Timers = {
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};
