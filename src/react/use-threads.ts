// A hook that follows a list of threads.

import { useMemo, useSyncExternalStore } from "react";

import type { ThreadFilter, ThreadListOptions, ThreadListView } from "#client/index.ts";

import { useThreadhold } from "./provider.ts";

/** A list of threads, a function that requests it again at once, and one that continues the search if the list is short and `hasMore`. */
export type UsedThreads = ThreadListView & { readonly refresh: () => void; readonly loadMore: () => void };

/**
 * The first page of the caller's threads that match the filter, newest activity first, kept current by the server's feed.
 * Components with equal filters share one list.
 */
export function useThreads(filter: ThreadFilter = {}, { everyMs }: ThreadListOptions = {}): UsedThreads {
  const { threads } = useThreadhold();
  // A source is found by the filter's content, so a new but equal object finds the same one.
  const key = JSON.stringify(filter);
  const { source, refresh, loadMore } = useMemo(
    () => threads(JSON.parse(key) as ThreadFilter, everyMs),
    [threads, key, everyMs],
  );
  const getSnapshot = (): ThreadListView => source.snapshot;
  const snapshot = useSyncExternalStore(source.subscribe, getSnapshot, getSnapshot);
  return useMemo(() => ({ ...snapshot, refresh, loadMore }), [snapshot, refresh, loadMore]);
}
