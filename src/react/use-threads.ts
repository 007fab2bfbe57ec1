// A list of threads in a component.

import { useMemo, useSyncExternalStore } from "react";

import type { ThreadFilter, ThreadListOptions, ThreadListView } from "#client/index.ts";

import { useThreadhold } from "./provider.ts";

/** A list, and what asks for it again at once. */
export type UsedThreads = ThreadListView & { readonly refresh: () => void };

/**
 * The first page of the caller's threads that a filter lets through, newest activity first, as it stands: what becomes of the
 * threads is told by the server. Equal filters share one list.
 */
export function useThreads(filter: ThreadFilter = {}, { everyMs }: ThreadListOptions = {}): UsedThreads {
  const { threads } = useThreadhold();
  // Equal filters are the same source, whatever object they come as.
  const key = JSON.stringify(filter);
  const { source, refresh } = useMemo(() => threads(JSON.parse(key) as ThreadFilter, everyMs), [threads, key, everyMs]);
  const look = (): ThreadListView => source.picture;
  const picture = useSyncExternalStore(source.subscribe, look, look);
  return useMemo(() => ({ ...picture, refresh }), [picture, refresh]);
}
