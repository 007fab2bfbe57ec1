// The threads that wait for a person, as every page needs them: for the count in the bar and in the tab's title, and for notifications.
// One request loads them, and the feed of threads updates them. The list does not use the hooks of `threadhold/react`, because these update
// in animation frames, which a hidden tab does not have.

import type { ThreadFilter, ThreadholdClient, ThreadListView } from "threadhold/client";
import { useThreadholdClient } from "threadhold/react";

import { useStore } from "../kit/create-store.ts";
import type { Store } from "../kit/create-store.ts";
import { useHidden } from "../threads/deletions.tsx";

/** The number of threads up to which the count is exact. */
export const mostCounted = 100;

const filter: ThreadFilter = { waiting: true, limit: mostCounted };

/**
 * Milliseconds between two requests of an administrator's list. The feed covers the caller's own threads only, so by default the list would
 * be requested every five seconds. The list of threads at the side sends such requests already, and reports threads of other users
 * (`others-waiting.ts`).
 */
const everyMs = 60 * 60 * 1000;

/** The list, newest activity first. */
export interface WaitingList extends Pick<Store<ThreadListView>, "get" | "subscribe"> {
  /** Requests the list again now. */
  readonly refresh: () => void;
}

/** One list for each client, so that the parts of a page share its requests. */
const lists = new WeakMap<ThreadholdClient, WaitingList>();

/** The list of the page. */
export function useWaitingList(): WaitingList {
  const client = useThreadholdClient();
  const known = lists.get(client) ?? listOf(client);
  lists.set(client, known);
  return known;
}

function listOf(client: ThreadholdClient): WaitingList {
  const list = client.threads.follow(filter, { everyMs });
  return {
    get: () => list.state,
    subscribe: (listener) => list.subscribe(listener),
    refresh: () => list.refresh(),
  };
}

/** The number of waiting threads, without those that the user is deleting, and whether more may wait. */
export function useWaitingCount(): { length: number; hasMore: boolean } {
  const { threads, hasMore } = useStore(useWaitingList());
  const hidden = useHidden();
  return { length: threads.filter(({ id }) => !hidden.has(id)).length, hasMore };
}
