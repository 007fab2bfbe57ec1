// Bounds the searches that requests have under way in one thread: each may take seconds of processor time. The thread's own
// searches have no place here; they wait for their turn (`store/files`).

import { refuse, ThreadholdError } from "#contract/error.ts";

/** Searches of a thread at a time. */
const searchesAtOnce = 2;

/** Milliseconds after which another try makes sense. */
const retryAfterMs = 2000;

/** One per loaded thread. */
export class SearchPlaces {
  #taken = 0;

  /** Does the work of one search, which ends with the request. Throws `rate_limited` where every place is taken. */
  async search<T>({ signal }: Request, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#taken >= searchesAtOnce) {
      const message = `${searchesAtOnce} searches of this thread are under way. Search again when one has ended.`;
      throw new ThreadholdError({ code: "rate_limited", message, retry_after_ms: retryAfterMs });
    }
    this.#taken += 1;
    try {
      return await work(signal);
    } catch (thrown) {
      if (signal.aborted && thrown === signal.reason)
        throw refuse("conflict", "The client left before the search ended.");
      throw thrown;
    } finally {
      this.#taken -= 1;
    }
  }
}
