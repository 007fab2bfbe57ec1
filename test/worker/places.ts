// The places that the objects of a test pass: fault points, and the moments before and after a word to another thread. A test
// may hold somebody there, let a word fail, or kill the object.

import type { FeedDirectory, FeedTold } from "#core/feed-rpc.ts";
import type { Faults } from "#core/ports/faults.ts";
import type { PeerDirectory } from "#core/thread-peer.ts";
import type { Catalog } from "#store/catalog/catalog.ts";

/** Where an object is. */
export interface Place {
  /** The thread that passes. */
  thread: string;
  /** A fault point, or a word to another thread as `before deliver`, `after deliver`. */
  name: string;
  /** Whom the word is for. */
  to?: string;
  /** The object itself; only it may be asked to die at once. */
  state: DurableObjectState;
}

/** What a test does there: returns to let pass, rejects to make a word fail, waits to hold. */
let passing: ((place: Place) => Promise<void> | void) | null = null;

/** Sets it; null lets everybody pass. */
export function atPlaces(act: typeof passing): void {
  passing = act;
}

/** Fault points that a test can stand at, before those of `next`. */
export function placedFaults(state: DurableObjectState, next: Faults): Faults {
  return {
    at: async (name) => {
      await passing?.({ thread: state.id.name ?? "", name, state });
      await next.at(name);
    },
  };
}

/** The catalog, with a place after a thread's entry is written, and one before it is removed. */
export function placedCatalog(state: DurableObjectState, catalog: Catalog): Catalog {
  return {
    ...catalog,
    flush: async (entry, totals) => {
      await catalog.flush(entry, totals);
      await passing?.({ thread: state.id.name ?? "", name: "after flush", state });
    },
    remove: async (removal) => {
      await passing?.({ thread: state.id.name ?? "", name: "before forget", state });
      await catalog.remove(removal);
    },
  };
}

/** Feeds, with a place before and behind each word to them; the word says what of which thread. */
export function placedFeeds(state: DurableObjectState, feeds: FeedDirectory<FeedTold>): FeedDirectory<FeedTold> {
  return (owner) => ({
    giveBack: (id, part) => feeds(owner).giveBack(id, part),
    tell: async (to, word, admitted) => {
      const thread = state.id.name ?? "";
      await passing?.({ thread, name: "before tell", state });
      await feeds(owner).tell(to, word, admitted);
      await passing?.({ thread, name: "after tell", state });
    },
  });
}

/** Other threads, with a place before and behind each word to them. */
export function placedThreads(state: DurableObjectState, threads: PeerDirectory): PeerDirectory {
  return (to) => {
    const peer = threads(to);
    const thread = state.id.name ?? "";
    return {
      call: async (method, ...input) => {
        await passing?.({ thread, name: `before ${method}`, to, state });
        const answer = await peer.call(method, ...input);
        await passing?.({ thread, name: `after ${method}`, to, state });
        return answer;
      },
    };
  };
}
