// Messages older than those a subscription begins with, a page at a time, newest first, as far as somebody scrolled back.

import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";

import type { MessageView, RouteAnswer, ThreadHandle } from "#client/index.ts";

const pageLength = 200;

/** What there is of the past. */
export interface History {
  /** Known and older than `live`, then `live`. */
  messages: readonly MessageView[];
  hasMore: boolean;
  loading: boolean;
  error: Error | null;
  more: () => void;
}

/** The whole conversation as far as it is known. `live` is what the subscription tells, which is newer and wins. */
export function useHistory(handle: ThreadHandle, live: readonly MessageView[], total: number): History {
  // Another snapshot begins elsewhere: what lies before it is asked for anew, so that no gap opens between the two.
  const begin = live[0]?.position ?? "";
  // The first page, too, is asked for when somebody scrolls up to it.
  const [wanted, setWanted] = useState(false);
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ["history", handle.id, begin],
    queryFn: async ({ pageParam, signal }) => {
      const query = { order: "desc", limit: pageLength, ...(pageParam === null ? {} : { cursor: pageParam }) } as const;
      return handle.messages.list(query, { signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    enabled: wanted,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
  useEffect(() => {
    const leaves = (["message_updated", "message_deleted"] as const).map((type) =>
      handle.on(type, ({ message }) => {
        if (message.position < begin && wanted) void refetch();
      }),
    );
    return () => {
      for (const leave of leaves) leave();
    };
  }, [handle, begin, wanted, refetch]);
  const messages = useMemo(() => {
    const oldest = live[0]?.position;
    if (data === undefined || oldest === undefined) return live;
    const known = new Set(live.map(({ id }) => id));
    const older = data.pages
      .flatMap(({ items }) => items)
      .filter(({ id, position }) => position < oldest && !known.has(id));
    return [...older.map(settled).toSorted((one, other) => (one.position < other.position ? -1 : 1)), ...live];
  }, [data, live]);
  const hasMore = data === undefined ? total > live.length : hasNextPage;
  const more = useCallback(() => {
    if (wanted) void fetchNextPage({ cancelRefetch: false });
    else setWanted(true);
  }, [wanted, fetchNextPage]);
  return { messages, hasMore, loading: isFetching, error, more };
}

type Stored = RouteAnswer<"GET /api/threads/:id/messages/:mid">;
const views = new WeakMap<Stored, MessageView>();

/** A stored message as one that no longer grows; the same object each time. */
function settled(message: Stored): MessageView {
  const known = views.get(message) ?? { ...message, streaming: false };
  views.set(message, known);
  return known;
}
