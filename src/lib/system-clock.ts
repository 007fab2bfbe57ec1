// Time as the platform gives it: timers and the wall clock.

/** Microseconds since epoch, and timers in milliseconds. In a Worker its time moves only with I/O. */
export const systemClock = {
  now: (): number => Date.now() * 1000,
  sleep: (ms: number, signal: AbortSignal): Promise<void> =>
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
  after: (ms: number, callback: () => void): (() => void) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
