// A list of threads in a component.

import { useMemo, useSyncExternalStore } from "react";

import type { ThreadFilter } from "#client/index.ts";

import { useThreadhold } from "./provider.ts";
import type { ThreadListPicture } from "./thread-list-source.ts";

/** How a list is kept fresh. */
export interface UseThreadsOptions {
  /** Milliseconds between two askings, 5,000 by default; none while nobody looks at the page. */
  everyMs?: number | undefined;
}

/** A list, and what asks for it again at once. */
export type UsedThreads = ThreadListPicture & { readonly refresh: () => void };

/** The first page of the caller's threads that a filter lets through, newest activity first. Equal filters share one list. */
export function useThreads(filter: ThreadFilter = {}, { everyMs = 5000 }: UseThreadsOptions = {}): UsedThreads {
  const { threads } = useThreadhold();
  // Equal filters are the same source, whatever object they come as.
  const key = JSON.stringify(filter);
  const { source, refresh } = useMemo(() => threads(JSON.parse(key) as ThreadFilter, everyMs), [threads, key, everyMs]);
  const look = (): ThreadListPicture => source.picture;
  const picture = useSyncExternalStore(source.subscribe, look, look);
  return useMemo(() => ({ ...picture, refresh }), [picture, refresh]);
}
