// The list of threads next to every page: search, filters, and the threads with their status, which the server updates.

import { useCallback, useMemo, useState } from "react";
import type { ReactElement } from "react";
import { useThreads } from "threadhold/react";
import { useLocation, useRoute } from "wouter";

import { useShortcuts } from "../app/shortcuts.ts";
import { useOthersWaiting } from "../inbox/others-waiting.ts";
import { Button, IconButton } from "../kit/button.tsx";
import { EmptyNote, ErrorNote, LoadingNote } from "../kit/note.tsx";
import { useHidden } from "./deletions.tsx";
import { endOfList, Unsearched } from "./list-end.tsx";
import { ListFilters } from "./list-filters.tsx";
import { MessageResults } from "./message-results.tsx";
import { isFiltered, queryOf, useListFilter, useListSearch } from "./thread-filter.ts";
import { ThreadRow } from "./thread-row.tsx";
import { threadPath } from "./thread-title.ts";
import { useListDrop } from "./use-list-drop.ts";

import css from "./thread-list-panel.module.css";

/** The number of threads of one request; the API allows four times as many. */
const pageLength = 50;
const mostThreads = 200;

interface ThreadListProps {
  onNew: () => void;
  /** Called with a dropped file, or with null if the user has to choose one. */
  onImport: (file: File | null) => void;
}

export function ThreadList({ onNew, onImport }: ThreadListProps): ReactElement {
  const [filter, setFilter] = useListFilter();
  const [limit, setLimit] = useState(pageLength);
  const list = useThreads(queryOf(filter, limit));
  const { threads, loading, error, refresh, loadMore } = list;
  useOthersWaiting(threads);
  const hidden = useHidden();
  // The same function at each rendering, so that an unchanged row is not drawn again with the list.
  const showTagged = useCallback((tag: string) => setFilter({ tag }), [setFilter]);
  const [, params] = useRoute(/^\/threads\/(?<id>[^/]+)/);
  const search = useListSearch();
  const shown = threads.filter(({ id }) => !hidden.has(id));
  const end = endOfList(list, { limit, shown: shown.length });
  const users = useMemo(() => [...new Set(threads.flatMap(({ user_id: user }) => user ?? []))].toSorted(), [threads]);
  const [, navigate] = useLocation();
  const step = (by: number): void => {
    const at = shown.findIndex(({ id }) => id === params?.id);
    const next = shown[at === -1 ? (by > 0 ? 0 : shown.length - 1) : at + by];
    if (next !== undefined) navigate(threadPath(next.id, search), { state: { reading: true } });
  };
  useShortcuts({ j: () => step(1), k: () => step(-1) });
  const { over, handlers } = useListDrop(onImport);
  return (
    <div className={css["list"]} data-over={over} {...handlers}>
      <header className={css["head"]}>
        <h2 className={css["title"]}>Threads</h2>
        <IconButton icon="import" label="Import a thread" onClick={() => onImport(null)} />
        <IconButton icon="plus" label="New thread (N)" onClick={onNew} />
      </header>
      {over ? <p className={css["drop"]}>Drop an exported thread here</p> : null}
      <ListFilters filter={filter} users={users} onChange={setFilter} />
      <div className={css["rows"]}>
        {error === null ? null : <ErrorNote title="The list may be out of date" error={error} onRetry={refresh} />}
        {loading ? <LoadingNote what="threads" /> : null}
        {end === "empty" ? <Nothing filtered={isFiltered(filter)} /> : null}
        <ol>
          {shown.map((thread) => (
            <ThreadRow
              key={thread.id}
              thread={thread}
              open={params?.["id"] === thread.id}
              search={search}
              onChanged={refresh}
              onTag={showTagged}
            />
          ))}
        </ol>
        {end === "unsearched" ? <Unsearched found={shown.length > 0} onMore={loadMore} /> : null}
        {threads.length === limit && limit < mostThreads ? (
          <div className={css["more"]}>
            <Button small kind="quiet" onClick={() => setLimit(limit + pageLength)}>
              Show more
            </Button>
          </div>
        ) : null}
        {threads.length === mostThreads ? <p className={css["more"]}>Search to find older threads.</p> : null}
        <MessageResults filter={filter} search={search} />
      </div>
    </div>
  );
}

function Nothing({ filtered }: { filtered: boolean }): ReactElement {
  return filtered ? (
    <EmptyNote title="Nothing matches">
      The list is searched by titles and last messages. Search in messages, or clear a filter to see more.
    </EmptyNote>
  ) : (
    <EmptyNote title="No threads yet">Press N to start one with any agent.</EmptyNote>
  );
}
