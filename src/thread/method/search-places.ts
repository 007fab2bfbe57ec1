// Bounds how many client searches run at once in one thread, because each may take seconds of processor time. Searches of the thread's own
// tools are not counted: they are queued (`store/files`).

import { refuse, ThreadholdError } from "#contract/error.ts";

/** The maximum number of searches of a thread at a time. */
const searchesAtOnce = 2;

/** Milliseconds after which a refused client may try again. */
const retryAfterMs = 2000;

/** Counts the client searches that run in one loaded thread. */
export class SearchPlaces {
  #taken = 0;

  /** Runs a search, and aborts it with the request. Throws `rate_limited` if as many searches are running as are permitted at a time. */
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
