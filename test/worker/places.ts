// Lets a test stop an object at certain places: at fault points, and before and after each message to another thread.
// There a test may make the object wait, make the message fail, or abort the object.

import type { Faults } from "#core/ports/faults.ts";
import type { FeedDirectory, OwnerFeedRpc } from "#core/rpc/feed-rpc.ts";
import type { PeerDirectory } from "#core/rpc/thread-peer.ts";
import type { Catalog } from "#store/catalog/catalog.ts";

/** A place that an object has reached. */
export interface Place {
  /** The id of the thread. */
  thread: string;
  /** The name of a fault point, or of a message to another thread: `before deliver`, `after deliver`. */
  name: string;
  /** The recipient of the message. */
  to?: string;
  /** The state of the object, with which it can be aborted. */
  state: DurableObjectState;
}

/** What a test does at a place: return to continue, reject to make the message fail, or wait. */
let passing: ((place: Place) => Promise<void> | void) | null = null;

/** Sets the function; null lets every object continue. */
export function onPlace(act: typeof passing): void {
  passing = act;
}

/** Fault points that are also places, before they reach those of `next`. */
export function placedFaults(state: DurableObjectState, next: Faults): Faults {
  return {
    at: async (name) => {
      await passing?.({ thread: state.id.name ?? "", name, state });
      await next.at(name);
    },
  };
}

/** The catalog, with a place after a thread's entry is written, and one before it is removed and before totals are added. */
export function placedCatalog(state: DurableObjectState, catalog: Catalog): Catalog {
  return {
    ...catalog,
    flush: async (entry, totals) => {
      await catalog.flush(entry, totals);
      await passing?.({ thread: state.id.name ?? "", name: "after flush", state });
    },
    addRunTotals: async (totals) => {
      await passing?.({ thread: state.id.name ?? "", name: "before totals", state });
      await catalog.addRunTotals(totals);
    },
    remove: async (removal) => {
      await passing?.({ thread: state.id.name ?? "", name: "before forget", state });
      await catalog.remove(removal);
    },
  };
}

/** Feeds, with a place before and after each message to them. The message names the thread and its change. */
export function placedFeeds(
  state: DurableObjectState,
  feeds: FeedDirectory<OwnerFeedRpc>,
): FeedDirectory<OwnerFeedRpc> {
  return (owner) => ({
    giveBack: (id, part) => feeds(owner).giveBack(id, part),
    authorization: async (call) => {
      const thread = state.id.name ?? "";
      await passing?.({ thread, name: `before ${call[0]} of an authorization`, state });
      const result = await feeds(owner).authorization(call);
      await passing?.({ thread, name: `after ${call[0]} of an authorization`, state });
      return result;
    },
    publish: async (to, word, admitted) => {
      const thread = state.id.name ?? "";
      await passing?.({ thread, name: "before tell", state });
      await feeds(owner).publish(to, word, admitted);
      await passing?.({ thread, name: "after tell", state });
    },
  });
}

/** Other threads, with a place before and after each message to them. */
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
      fetch: async (request) => {
        await passing?.({ thread, name: "before fetch", to, state });
        return peer.fetch(request);
      },
    };
  };
}
