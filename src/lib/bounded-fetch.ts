// Bounds how many requests wait for their headers at once. The platform allows an object six connections in that state and
// lets further ones wait without a word; local development does not enforce it.

/** Runs `work` when a place is free, and gives the place back when it has settled; `signal` ends the waiting, not the work. */
export type Turns = <T>(signal: AbortSignal | null | undefined, work: () => Promise<T>) => Promise<T>;

/** Places for `most` requests at a time. */
export function turns(most: number): Turns {
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

  return async (signal, work) => {
    await turn(signal);
    try {
      return await work();
    } finally {
      // The place goes to the next in line, or is free.
      const next = waiting.shift();
      if (next === undefined) waitingForHeaders -= 1;
      else next();
    }
  };
}

/** A fetch whose requests wait for their turn, or for their own signal, until their headers are there. */
export function boundedFetch(inTurn: Turns, inner: typeof fetch): typeof fetch {
  return (input, init) => inTurn(init?.signal, () => inner(input, init));
}
