// The list of messages; only visible rows are rendered. It stays at its end while the user is there. If the user has
// scrolled back, the position stays the same when content above or below changes.

import { useVirtualizer } from "@tanstack/react-virtual";
import { use, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { ReactElement } from "react";
import type { MessageView, ThreadHandle } from "threadhold/client";

import { Button } from "../kit/button.tsx";
import { ErrorNote } from "../kit/note.tsx";
import { ThreadFilesContext } from "../markdown/thread-file.tsx";
import { shortenedIds } from "./context/request-parts.ts";
import { ShortenedMessages } from "./context/shortened-messages.ts";
import { UnsentLine } from "./context/unsent-line.tsx";
import { unsentMessages } from "./context/unsent-messages.ts";
import { useThreadContext } from "./context/use-thread-context.ts";
import { EmptyConversation } from "./empty-conversation.tsx";
import { MessageItem } from "./message-item.tsx";
import { ModelWaitLine } from "./model-wait.tsx";
import { NestedRowsContext } from "./nested-rows-context.ts";
import { NestedRows } from "./nested-rows.tsx";
import { NoteItem } from "./note-item.tsx";
import { placeNotes } from "./place-notes.ts";
import { RowBuilder } from "./rows.ts";
import type { Row } from "./rows.ts";
import type { RunNote } from "./run-note.ts";
import { ShownMessage } from "./search/shown-message.ts";
import { useShownMessage } from "./search/use-shown-message.ts";
import { useBeginAtEnd } from "./use-begin-at-end.ts";
import { useCallsAtWork } from "./use-calls-at-work.ts";
import { useFocusInView } from "./use-focus-in-view.ts";
import { useHistory } from "./use-history.ts";
import { useListKeys } from "./use-list-keys.ts";
import { useModelWait } from "./use-model-wait.ts";
import { useRunNotes } from "./use-run-notes.ts";
import { pathsOf, writtenFiles } from "./written-files.ts";
import type { FileTrack } from "./written-files.ts";

import css from "./conversation.module.css";

/** Pixels from the end within which the list keeps following its end. */
const nearEnd = 60;
/** Pixels from the end within which the list counts as scrolled to its end. */
const atEnd = 2;

/**
 * The number of rows that are rendered outside of the visible area, and the row from the start at which older messages
 * are loaded.
 */
const overscan = 6;
const askAhead = 25;

/** The last row while the model has not begun to answer. */
interface WaitingRow {
  kind: "waiting";
  key: string;
}

/** The row below the messages that are no longer sent. */
interface UnsentRow {
  kind: "unsent";
  key: string;
}

type ListRow = Row | UnsentRow | WaitingRow;

const unsentRow: UnsentRow = { kind: "unsent", key: "unsent" };
const waitingRow: WaitingRow = { kind: "waiting", key: "waiting" };

interface MessageListProps {
  handle: ThreadHandle;
  live: readonly MessageView[];
  /** The number of messages of the thread. */
  count: number;
  running: boolean;
  /** The last run may be repeated: no run is active, and no message is queued. */
  repeatable: boolean;
  /** Opens the panel of the thread's context. */
  onContext: () => void;
}

export function MessageList({ handle, live, count, running, repeatable, onContext }: MessageListProps): ReactElement {
  const history = useHistory(handle, live, count);
  const ran = useMemo(() => live.some(({ run_id: id }) => id !== null), [live]);
  const notes = useRunNotes(handle, ran);
  const atWork = useCallsAtWork(handle);
  const [builder] = useState(() => new RowBuilder());
  const written = useWrittenFiles(notes.files, history.messages);
  const placed = useMemo(() => {
    const all = written.length === 0 ? notes.notes : inOrder([...notes.notes, ...written]);
    return builder.build(history.messages, placeNotes(all, history.messages, !history.hasMore), atWork);
  }, [builder, history.messages, history.hasMore, notes.notes, written, atWork]);
  const files = useMemo(() => ({ threadId: handle.id, paths: pathsOf(notes.files) }), [handle.id, notes.files]);
  const wait = useModelWait(handle);
  const waits = running && wait !== null;
  const { data: context } = useThreadContext(handle, notes.compacted);
  const unsent = useMemo(
    () => (context === undefined ? null : unsentMessages(context, history.messages)),
    [context, history.messages],
  );
  // The text changes only with the ids, so that the same messages are not rendered again after each request.
  const shortenedText = context === undefined ? "" : shortenedIds(context).join(" ");
  const shortened = useMemo(() => new Set(shortenedText.split(" ").filter(Boolean)), [shortenedText]);
  const before = unsent?.before ?? null;
  const rows = useMemo((): ListRow[] => {
    const marked = before === null ? placed : withUnsentRow(placed, before);
    return waits ? [...withoutBlank(marked), waitingRow] : marked;
  }, [placed, before, waits]);
  const place = useRef<HTMLDivElement>(null);
  const message = use(ShownMessage);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => 96,
    getItemKey: (at) => rows[at]?.key ?? at,
    overscan,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: nearEnd,
    paddingStart: 24,
    paddingEnd: 24,
    useFlushSync: false,
  });
  useFocusInView(place);
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const { hasMore, loading, more } = history;
  const arrived = useBeginAtEnd({
    place,
    filled: rows.length > 0 && message === null,
    isAtEnd: () => isAtEnd(place.current) && virtual.isAtEnd(atEnd),
    scrollToEnd: () => virtual.scrollToEnd(),
  });
  const scrollToEnd = useCallback(() => virtual.scrollToEnd(), [virtual]);
  const scrollToStart = useCallback(() => virtual.scrollToOffset(0), [virtual]);
  const failed = history.error !== null;
  const { seeking, press } = useListKeys({ place, hasMore, loading, failed, more, scrollToStart, scrollToEnd });
  const scrollTo = useCallback((index: number) => virtual.scrollToIndex(index, { align: "center" }), [virtual]);
  const reading = useShownMessage({ message, rows, hasMore, loading, failed, more, scrollTo, arrived });
  const wantsMore = hasMore && !loading && !failed && !seeking && first < askAhead;
  // No older messages are loaded before the list was scrolled to its end, because its rows are not measured until then.
  useEffect(() => {
    if (wantsMore && arrived.current) more();
  });

  return (
    <div className={css["listPlace"]}>
      <div
        ref={place}
        id="messages"
        className={css["list"]}
        role="log"
        aria-label="Messages"
        aria-busy={running}
        onKeyDown={press}
        // A scrollable element has to be reachable by keyboard.
        tabIndex={0}
      >
        {history.error === null ? null : (
          <ErrorNote title="Older messages could not be read" error={history.error} onRetry={() => more()} />
        )}
        {notes.error === null ? null : (
          <ErrorNote title="Earlier notes of runs could not be read" error={notes.error} onRetry={notes.retry} />
        )}
        {rows.length === 0 && !running ? <EmptyConversation handle={handle} /> : null}
        <ThreadFilesContext value={files}>
          <ShortenedMessages value={shortened}>
            <NestedRowsContext value={NestedRows}>
              <div className={css["rows"]} style={{ height: virtual.getTotalSize() }}>
                {items.map(({ index, key, start }) => {
                  const row = rows[index];
                  if (row === undefined) return null;
                  return (
                    <div
                      key={key}
                      ref={virtual.measureElement}
                      data-index={index}
                      className={css["row"]}
                      style={{ transform: `translateY(${start}px)` }}
                    >
                      {row.kind === "waiting" ? (
                        wait === null ? null : (
                          <ModelWaitLine wait={wait} />
                        )
                      ) : row.kind === "unsent" ? (
                        unsent === null ? null : (
                          <UnsentLine unsent={unsent} compaction={notes.drop} onContext={onContext} />
                        )
                      ) : row.kind === "note" ? (
                        <NoteItem
                          handle={handle}
                          note={row.note}
                          more={rows[index + 1]?.kind === "note"}
                          repeatable={repeatable && index === rows.length - 1 && row.note.ended !== undefined}
                        />
                      ) : (
                        <MessageItem
                          row={row}
                          handle={handle}
                          running={running}
                          unsent={unsent?.ids.has(row.message.id) === true}
                        />
                      )}
                    </div>
                  );
                })}
              </div>
            </NestedRowsContext>
          </ShortenedMessages>
        </ThreadFilesContext>
      </div>
      {seeking || reading ? (
        <p className={css["seeking"]} role="status">
          Reading {history.messages.length} of {count} messages…
        </p>
      ) : null}
      {virtual.isAtEnd(nearEnd) || rows.length === 0 ? null : (
        <Button small icon="down" className={css["toEnd"]} onClick={() => virtual.scrollToEnd()}>
          To the end
        </Button>
      )}
    </div>
  );
}

/** The notes of files. The list stays the same object until a file or its position changes, because a growing answer changes neither. */
function useWrittenFiles(track: FileTrack, messages: readonly MessageView[]): readonly RunNote[] {
  const last = useRef<readonly RunNote[]>([]);
  return useMemo(() => {
    const next = writtenFiles(track, messages);
    const same =
      next.length === last.current.length &&
      next.every((note, at) => note.seq === last.current[at]?.seq && note.runId === last.current[at].runId);
    if (!same) last.current = next;
    return last.current;
  }, [track, messages]);
}

function inOrder(notes: readonly RunNote[]): readonly RunNote[] {
  return notes.toSorted((one, other) => one.seq - other.seq);
}

/** The rows with the line before the first message that is sent again. */
function withUnsentRow(rows: readonly Row[], before: string): ListRow[] {
  const at = rows.findIndex((row) => row.kind === "message" && row.message.id === before);
  return at === -1 ? [...rows] : [...rows.slice(0, at), unsentRow, ...rows.slice(at)];
}

/** The rows without a last message that is still empty. */
function withoutBlank(rows: readonly ListRow[]): readonly ListRow[] {
  const last = rows.at(-1);
  const isBlank = last?.kind === "message" && last.message.streaming && last.message.content === null;
  return isBlank && last.message.parts.every(({ type }) => type === "text") ? rows.slice(0, -1) : rows;
}

/** Reads the position from the element, because the state of the virtual list may be ahead of the browser's. */
function isAtEnd(element: HTMLElement | null): boolean {
  return element !== null && element.scrollHeight - element.clientHeight - element.scrollTop <= atEnd;
}
