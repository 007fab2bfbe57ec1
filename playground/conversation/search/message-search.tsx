// The search in a conversation. The browser's own search finds only rendered rows, so the server searches. It returns pages
// of hits, the newest first; moving past the last hit loads the next page.

import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { KeyboardEvent, ReactElement } from "react";
import type { ThreadHandle } from "threadhold/client";

import { IconButton } from "../../kit/button.tsx";
import { count } from "../../kit/figures.ts";
import { Icon } from "../../kit/icon.tsx";
import { ErrorNote } from "../../kit/note.tsx";
import { useFocusAfterRemoval } from "../../kit/use-focus-after-removal.ts";
import type { MessageQuery } from "./shown-message.ts";

import css from "./message-search.module.css";

/** The longest text that the server accepts, in UTF-16 units. */
const longest = 200;

interface MessageSearchProps {
  handle: ThreadHandle;
  /** The text to find; empty if there is none yet. */
  find: string;
  /** Id of the hit that is shown. */
  shown: string | null;
  onChange: (change: Partial<MessageQuery>) => void;
}

/** The search field with the hits. */
export function MessageSearch({ handle, find, shown, onChange }: MessageSearchProps): ReactElement {
  const [typed, setTyped] = useState(find);
  const place = useRef<HTMLElement>(null);
  useFocusAfterRemoval(place, () => document.getElementById("turn-search"));
  useEffect(() => setTyped(find), [find]);
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ["message-search", handle.id, find],
    queryFn: async ({ pageParam, signal }) =>
      handle.messages.search(find, pageParam === null ? {} : { cursor: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    enabled: find !== "",
    gcTime: 60_000,
    retry: false,
  });
  const hits = data?.pages.flatMap(({ items }) => items) ?? [];
  const at = hits.findIndex(({ message_id: id }) => id === shown);
  const first = hits[0]?.message_id;
  // Shows the newest hit once it is loaded. A page without hits is followed by the next page.
  useEffect(() => {
    if (first !== undefined && shown === null) onChange({ message: first });
    if (first === undefined && hasNextPage && !isFetching && error === null) void fetchNextPage();
  });
  const step = (by: 1 | -1): void => {
    const next = hits[at + by];
    if (next !== undefined) onChange({ message: next.message_id });
    else if (by === 1 && hasNextPage && !isFetching) {
      void fetchNextPage().then(({ data: now }) => {
        const older = now?.pages.flatMap(({ items }) => items)[at + 1];
        if (older !== undefined) onChange({ message: older.message_id });
      });
    }
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === "Escape") return onChange({ find: null, message: null });
    if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (typed !== find) onChange({ find: typed.slice(0, longest), message: null });
    else step(event.shiftKey ? -1 : 1);
  };
  return (
    <search ref={place} className={css["search"]}>
      <Icon name="search" />
      <input
        className={css["input"]}
        type="search"
        enterKeyHint="search"
        aria-label="Search this conversation"
        placeholder="Search this conversation"
        maxLength={longest}
        // The field opens by a key or a button, so that the user can type at once.
        autoFocus
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={press}
      />
      <span className={css["count"]} role="status">
        {find === "" ? "" : wordsOf({ at, hits: hits.length, more: hasNextPage, searching: isFetching })}
      </span>
      <IconButton icon="down" label="Newer hit" disabled={at <= 0} onClick={() => step(-1)} />
      <IconButton
        icon="up"
        label="Older hit"
        disabled={hits.length === 0 || (at === hits.length - 1 && !hasNextPage)}
        onClick={() => step(1)}
      />
      <IconButton icon="close" label="End the search" onClick={() => onChange({ find: null, message: null })} />
      {error === null ? null : (
        <div className={css["error"]}>
          <ErrorNote title="The search failed" error={error} onRetry={() => void refetch()} />
        </div>
      )}
    </search>
  );
}

interface Found {
  at: number;
  hits: number;
  more: boolean;
  searching: boolean;
}

function wordsOf({ at, hits, more, searching }: Found): string {
  if (hits === 0) return searching || more ? "Searching…" : "Nothing found";
  const all = `${count(hits)}${more ? "+" : ""}`;
  return at === -1 ? all : `${count(at + 1)} of ${all}`;
}
