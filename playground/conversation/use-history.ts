// Messages older than those a subscription begins with, a page at a time, newest first, as far as somebody scrolled back.

import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { MessageView, RouteAnswer, ThreadHandle } from "threadhold/client";

/** Messages of a page: while somebody scrolls, and on the way to the very beginning. */
const pageLength = 200;
const longPage = 1000;

/** What there is of the past. */
export interface History {
  /** Known and older than `live`, then `live`. */
  messages: readonly MessageView[];
  hasMore: boolean;
  loading: boolean;
  error: Error | null;
  /** Asks for the page before; for a longer one where it is not the last that is wanted. */
  more: (long?: boolean) => void;
}

/** The whole conversation as far as it is known. `live` is what the subscription tells, which is newer and wins. */
export function useHistory(handle: ThreadHandle, live: readonly MessageView[], total: number): History {
  // Another snapshot begins elsewhere: what lies before it is asked for anew, so that no gap opens between the two.
  const begin = live[0]?.position ?? "";
  // The first page, too, is asked for when somebody scrolls up to it.
  const [wanted, setWanted] = useState(false);
  const limit = useRef(pageLength);
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ["history", handle.id, begin],
    queryFn: async ({ pageParam, signal }) => {
      const query = {
        order: "desc",
        limit: limit.current,
        ...(pageParam === null ? {} : { cursor: pageParam }),
      } as const;
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
  const pages = data?.pages;
  // Thousands of them stay as they are while the last one grows.
  const older = useMemo(() => (pages === undefined ? [] : olderThan(begin, pages)), [pages, begin]);
  const messages = useMemo(() => {
    if (older.length === 0) return live;
    const known = new Set(live.map(({ id }) => id));
    return [...older.filter(({ id }) => !known.has(id)), ...live];
  }, [older, live]);
  const hasMore = data === undefined ? total > live.length : hasNextPage;
  const more = useCallback(
    (long = false) => {
      limit.current = long ? longPage : pageLength;
      if (wanted) void fetchNextPage({ cancelRefetch: false });
      else setWanted(true);
    },
    [wanted, fetchNextPage],
  );
  return { messages, hasMore, loading: isFetching, error, more };
}

/** Those of the pages that lie before what is followed, oldest first. A page's are newest first. */
function olderThan(begin: string, pages: readonly { items: readonly Stored[] }[]): readonly MessageView[] {
  if (begin === "") return [];
  const older = pages.flatMap(({ items }) => items.filter(({ position }) => position < begin));
  return older.map(settled).toReversed();
}

type Stored = RouteAnswer<"GET /api/threads/:id/messages/:mid">;
const views = new WeakMap<Stored, MessageView>();

/** A stored message as one that no longer grows; the same object each time. */
function settled(message: Stored): MessageView {
  const known = views.get(message) ?? { ...message, streaming: false };
  views.set(message, known);
  return known;
}
