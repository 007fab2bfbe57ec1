// Limits how many requests wait for response headers at the same time. The platform allows a Durable Object six such connections and queues
// further ones without an error; local development does not enforce the limit.

/** Runs `work` when a slot is free, and frees the slot when the work settles. `signal` aborts the waiting, not the work. */
export type RequestQueue = <T>(signal: AbortSignal | null | undefined, work: () => Promise<T>) => Promise<T>;

/** Creates a queue with this number of slots. */
export function createRequestQueue(slots: number): RequestQueue {
  const waiting: (() => void)[] = [];
  let waitingForHeaders = 0;

  function turn(signal: AbortSignal | null | undefined): Promise<void> {
    if (waitingForHeaders < slots) {
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
      // The slot goes to the next waiting request, or becomes free.
      const next = waiting.shift();
      if (next === undefined) waitingForHeaders -= 1;
      else next();
    }
  };
}

/** A fetch whose requests take a slot until their response headers arrive. A request's own signal aborts its waiting. */
export function boundedFetch(inTurn: RequestQueue, inner: typeof fetch): typeof fetch {
  return (input, init) => inTurn(init?.signal, () => inner(input, init));
}
