// Time as the platform gives it.

import type { Clock } from "#core/ports/clock.ts";

/** The Worker's clock. Its time moves only with I/O, in production. */
export const systemClock: Clock = {
  now: () => Date.now() * 1000,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(done, ms);
      function done() {
        signal.removeEventListener("abort", aborted);
        resolve();
      }
      function aborted() {
        clearTimeout(timer);
        reject(signal.reason as Error);
      }
      if (signal.aborted) aborted();
      else signal.addEventListener("abort", aborted, { once: true });
    }),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
