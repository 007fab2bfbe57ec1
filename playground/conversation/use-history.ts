// Loads messages that are older than those of the subscription, a page at a time, newest first, as far as the user
// scrolls back.

import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { MessageView, RouteAnswer, ThreadHandle } from "threadhold/client";

/** The length of a page: while the user scrolls, and on the way to the first message. */
const pageLength = 200;
const longPage = 1000;

/** The loaded part of the conversation. */
export interface History {
  /** The loaded messages that are older than `live`, then `live`. */
  messages: readonly MessageView[];
  hasMore: boolean;
  loading: boolean;
  error: Error | null;
  /** Loads the next older page, which is longer if `long` is true. */
  more: (long?: boolean) => void;
}

/**
 * The conversation as far as it is loaded. `live` is the subscription's messages, which are newer and take precedence.
 */
export function useHistory(handle: ThreadHandle, live: readonly MessageView[], total: number): History {
  // A new snapshot may start at another message. The pages before it are loaded again, so that there is no gap between
  // the two.
  const begin = live[0]?.position ?? "";
  // The first page, too, is loaded when the user scrolls up to it.
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
  // The same objects while only the last message grows.
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

/** The messages of the pages that are older than the subscription's, oldest first. A page has them newest first. */
function olderThan(begin: string, pages: readonly { items: readonly Stored[] }[]): readonly MessageView[] {
  if (begin === "") return [];
  const older = pages.flatMap(({ items }) => items.filter(({ position }) => position < begin));
  return older.map(settled).toReversed();
}

type Stored = RouteAnswer<"GET /api/threads/:id/messages/:mid">;
const views = new WeakMap<Stored, MessageView>();

/** A stored message as a message that does not grow; the same object each time. */
function settled(message: Stored): MessageView {
  const known = views.get(message) ?? { ...message, streaming: false };
  views.set(message, known);
  return known;
}
