// Bounds how many requests wait for their headers at once. The platform allows an object six connections in that state and
// lets further ones wait without a word; local development does not enforce it.

/** A fetch of which at most `most` calls wait for headers; further ones wait their turn, or for their own signal. */
export function boundedFetch(most: number, inner: typeof fetch): typeof fetch {
  const waiting: (() => void)[] = [];
  let waitingForHeaders = 0;

  function turn(signal: AbortSignal | null | undefined): Promise<void> {
    if (waitingForHeaders < most) {
      waitingForHeaders += 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const aborted = () => {
        const at = waiting.indexOf(start);
        if (at !== -1) waiting.splice(at, 1);
        reject(signal?.reason as Error);
      };
      const start = () => {
        signal?.removeEventListener("abort", aborted);
        resolve();
      };
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      signal?.addEventListener("abort", aborted, { once: true });
      waiting.push(start);
    });
  }

  return async (input, init) => {
    await turn(init?.signal);
    try {
      return await inner(input, init);
    } finally {
      // The place goes to the next in line, or is free.
      const next = waiting.shift();
      if (next === undefined) waitingForHeaders -= 1;
      else next();
    }
  };
}
