// The log of a thread's events, from the first: a line for each event, and the selected event as it was sent. The
// selection is kept in the address. Only visible lines are rendered, so that ten thousand events are as fast as ten.

import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import type { ReactElement } from "react";
import type { ThreadHandle } from "threadhold/client";

import { IconButton } from "../kit/button.tsx";
import { useStore } from "../kit/create-store.ts";
import { clock } from "../kit/figures.ts";
import { ErrorNote } from "../kit/note.tsx";
import { useFocusAfterRemoval } from "../kit/use-focus-after-removal.ts";
import { ChosenEvent } from "./chosen-event.tsx";
import { everything, filteredEntries, LogFilters } from "./log-filters.tsx";
import { useChosenEvent } from "./use-chosen-event.ts";
import { useEvents } from "./use-events.ts";

import css from "./event-log.module.css";

const lineHeight = 26;

export function EventLog({ handle, onClose }: { handle: ThreadHandle; onClose: () => void }): ReactElement {
  const { tape, error, retry } = useEvents(handle);
  const recorded = useStore(tape);
  const [held, setHeld] = useState<typeof recorded | null>(null);
  const [filter, setFilter] = useState(everything);
  const entries = held ?? recorded;
  const shown = useMemo(() => filteredEntries(entries, filter), [entries, filter]);
  const [chosen, choose] = useChosenEvent();
  const at = chosen === null ? -1 : shown.findIndex(({ from, event }) => from <= chosen && chosen <= event.seq);
  const found = at !== -1;
  const place = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLElement>(null);
  useFocusAfterRemoval(panel, () => document.getElementById("turn-events"));
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => place.current,
    estimateSize: () => lineHeight,
    getItemKey: (index) => shown[index]?.key ?? index,
    overscan: 8,
    anchorTo: "end",
    followOnAppend: held === null && !found,
    useFlushSync: false,
  });
  // Scrolls to an event that the address names, once it is loaded. An event that the user selected is visible already.
  useEffect(() => {
    if (found) virtual.scrollToIndex(at, { align: "auto" });
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- that it moved is no reason to scroll, only that it was chosen or came
  }, [found, chosen]);
  // After a change of the filter the log is at its newest event, as when it opens, or at the selected one.
  useEffect(() => {
    if (found) virtual.scrollToIndex(at, { align: "auto" });
    else virtual.scrollToEnd();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only what is filtered out is a reason
  }, [filter]);
  const entry = shown[at];
  const waiting = recorded.length - entries.length;
  return (
    <aside ref={panel} className={css["log"]} aria-label="Events">
      <header className={css["head"]}>
        <h2 className={css["title"]}>Events</h2>
        <span className={css["count"]}>
          {shown.length === entries.length ? entries.length : `${shown.length} of ${entries.length}`}
          {waiting > 0 ? ` + ${waiting}` : ""}
        </span>
        <IconButton
          icon={held === null ? "pause" : "down"}
          label={held === null ? "Hold the list" : "Follow again"}
          aria-pressed={held !== null}
          onClick={() => {
            setHeld(held === null ? recorded : null);
            if (held !== null) {
              choose(null);
              virtual.scrollToEnd();
            }
          }}
        />
        <IconButton icon="close" label="Hide events" onClick={onClose} />
      </header>
      <LogFilters entries={entries} filter={filter} onChange={setFilter} />
      {error === null ? null : <ErrorNote title="The events could not be read" error={error} onRetry={retry} />}
      {shown.length === 0 ? (
        <p className={css["none"]}>
          {entries.length === 0 ? "No events yet. Send a message." : "No event is of this type and run."}
        </p>
      ) : null}
      <div ref={place} className={css["lines"]}>
        <ol style={{ height: virtual.getTotalSize() }} className={css["tape"]}>
          {virtual.getVirtualItems().map(({ index, key, start }) => {
            const line = shown[index];
            if (line === undefined) return null;
            const { event, count } = line;
            return (
              <li key={key} className={css["line"]} style={{ transform: `translateY(${start}px)` }}>
                <button
                  type="button"
                  className={css["event"]}
                  aria-pressed={index === at}
                  onClick={() => choose(event.seq)}
                >
                  <span className={css["seq"]}>{event.seq}</span>
                  <span className={css["type"]}>{event.type}</span>
                  <span className={css["extra"]}>{count === 1 ? clock(event.at) : `× ${count}`}</span>
                </button>
              </li>
            );
          })}
        </ol>
      </div>
      {entry === undefined ? null : <ChosenEvent entry={entry} onClose={() => choose(null)} />}
    </aside>
  );
}
