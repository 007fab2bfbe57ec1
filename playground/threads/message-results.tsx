// Threads whose messages contain a text, below the list, which is searched by titles. The search starts by a button:
// one page of results searches up to 50 threads, which is too much for every key press.

import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { ReactElement } from "react";
import type { RouteAnswer } from "threadhold/client";
import { useThreadholdClient } from "threadhold/react";
import { Link } from "wouter";

import { foundMessagePath } from "../conversation/search/shown-message.ts";
import { Button } from "../kit/button.tsx";
import { ErrorNote, LoadingNote } from "../kit/note.tsx";
import { queryOf } from "./thread-filter.ts";
import type { ListFilter } from "./thread-filter.ts";
import { threadPath, useNameOf } from "./thread-title.ts";

import css from "./message-results.module.css";

type Found = RouteAnswer<"GET /api/messages-search">["threads"][number];
type Hit = Found["hits"][number];

/** The longest text that the server accepts, in UTF-16 units. */
const longest = 200;

/** The button, then the results. */
export function MessageResults({ filter, search }: { filter: ListFilter; search: string }): ReactElement | null {
  const { q = "", ...rest } = queryOf(filter, 50);
  const text = q.slice(0, longest);
  const [wanted, setWanted] = useState("");
  useEffect(() => setWanted(""), [text]);
  const client = useThreadholdClient();
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ["messages-search", text, rest],
    queryFn: async ({ pageParam, signal }) =>
      client.threads.search(text, pageParam === null ? rest : { ...rest, cursor: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    enabled: text !== "" && wanted === text,
    gcTime: 60_000,
    retry: false,
  });
  if (text === "") return null;
  const found = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <section className={css["results"]} aria-label="Found in messages" aria-busy={isFetching}>
      {wanted === text ? (
        <h3 className={css["title"]}>In messages</h3>
      ) : (
        <Button small kind="quiet" icon="search" onClick={() => setWanted(text)}>
          Search in messages
        </Button>
      )}
      {error === null ? null : <ErrorNote title="The search failed" error={error} onRetry={() => void refetch()} />}
      {isFetching && found.length === 0 ? <LoadingNote what="messages" /> : null}
      {data !== undefined && found.length === 0 && !isFetching ? (
        <p className={css["note"]} role="status">
          {hasNextPage ? "Nothing found in the newest threads" : "Nothing found in messages"}
        </p>
      ) : null}
      <ol>
        {found.map((one) => (
          <FoundThread key={one.thread.id} found={one} find={text} search={search} />
        ))}
      </ol>
      {hasNextPage ? (
        <Button small kind="quiet" disabled={isFetching} onClick={() => void fetchNextPage()}>
          Search older threads
        </Button>
      ) : null}
    </section>
  );
}

function FoundThread({ found, find, search }: { found: Found; find: string; search: string }): ReactElement {
  const nameOf = useNameOf();
  const { thread, hits, next_cursor, error } = found;
  const path = threadPath(thread.id, search);
  return (
    <li className={css["thread"]}>
      <span className={css["name"]}>{nameOf(thread)}</span>
      {hits.map((hit) => (
        <Link
          key={hit.message_id}
          href={foundMessagePath(path, { find, message: hit.message_id })}
          className={css["hit"] ?? ""}
        >
          <Excerpt hit={hit} />
        </Link>
      ))}
      {error === null ? null : <span className={css["note"]}>Not searched: {error.message}</span>}
      {error === null && hits.length === 0 && next_cursor !== null ? (
        <Link
          href={`${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams({ find }).toString()}`}
          className={css["hit"] ?? ""}
        >
          Older messages were not searched yet
        </Link>
      ) : null}
    </li>
  );
}

function Excerpt({ hit: { excerpt, start, length } }: { hit: Hit }): ReactElement {
  return (
    <>
      {excerpt.slice(0, start)}
      <mark className={css["mark"]}>{excerpt.slice(start, start + length)}</mark>
      {excerpt.slice(start + length)}
    </>
  );
}
