// The platform's clock and timers.

/** The longest time of one platform timer, in milliseconds. Node fires a timer with a longer time at once. */
const maxTimerMs = 2 ** 31 - 1;

/** Calls back after `ms`, which may be any number, unless the returned function is called first. `Infinity` starts no timer. */
export function after(ms: number, callback: () => void): () => void {
  if (ms === Number.POSITIVE_INFINITY) return () => {};
  let timer = arm(ms);
  function arm(remaining: number): ReturnType<typeof setTimeout> {
    if (!(remaining > maxTimerMs)) return setTimeout(callback, remaining);
    return setTimeout(() => (timer = arm(remaining - maxTimerMs)), maxTimerMs);
  }
  return () => clearTimeout(timer);
}

/** Microseconds since the epoch, and timers in milliseconds. In a Worker the time advances only with I/O. */
export const systemClock = {
  now: (): number => Date.now() * 1000,
  sleep: (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const disarm = after(ms, done);
      function done() {
        signal.removeEventListener("abort", aborted);
        resolve();
      }
      function aborted() {
        disarm();
        reject(signal.reason as Error);
      }
      if (signal.aborted) aborted();
      else signal.addEventListener("abort", aborted, { once: true });
    }),
  after,
};
