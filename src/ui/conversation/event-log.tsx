// The log of a thread's events, as they come while it is open: a line each, and the one that is chosen as it was sent.

import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { ReactElement } from "react";

import type { ThreadHandle } from "#client/index.ts";

import { IconButton } from "../kit/button.tsx";
import { clock } from "../kit/figures.ts";
import { wordsOf } from "../kit/note.tsx";
import { EventTape } from "./event-tape.ts";

import css from "./event-log.module.css";

const lineHeight = 26;

/** The log. */
export function EventLog({ handle, onClose }: { handle: ThreadHandle; onClose: () => void }): ReactElement {
  const [tape] = useState(() => new EventTape());
  const entries = useSyncExternalStore(tape.subscribe, tape.picture);
  const [chosen, setChosen] = useState<string | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const leave = new AbortController();
    const read = async (): Promise<void> => {
      for await (const event of handle.events({ signal: leave.signal })) tape.push(event);
    };
    read().catch((thrown: unknown) => {
      if (!leave.signal.aborted) setFailed(wordsOf(thrown));
    });
    return () => leave.abort();
  }, [handle, tape]);
  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => place.current,
    estimateSize: () => lineHeight,
    getItemKey: (at) => entries[at]?.key ?? at,
    overscan: 8,
    anchorTo: "end",
    followOnAppend: true,
    useFlushSync: false,
  });
  const shown = entries.find(({ key }) => key === chosen);
  return (
    <aside className={css["log"]} aria-label="Events">
      <header className={css["head"]}>
        <h2 className={css["title"]}>Events</h2>
        <span className={css["count"]}>{entries.length}</span>
        <IconButton icon="close" label="Hide events" onClick={onClose} />
      </header>
      {failed === null ? null : <p role="alert">{failed}</p>}
      {entries.length === 0 ? <p className={css["none"]}>They are shown as they come. Say something.</p> : null}
      <div ref={place} className={css["lines"]}>
        <ol style={{ height: virtual.getTotalSize() }} className={css["tape"]}>
          {virtual.getVirtualItems().map(({ index, key, start }) => {
            const entry = entries[index];
            if (entry === undefined) return null;
            const { event, count } = entry;
            return (
              <li key={key} className={css["line"]} style={{ transform: `translateY(${start}px)` }}>
                <button
                  type="button"
                  className={css["event"]}
                  aria-pressed={chosen === entry.key}
                  onClick={() => setChosen(entry.key)}
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
      {shown === undefined ? null : (
        // What scrolls has to be reached by the keyboard
        <pre className={css["raw"]} tabIndex={0} aria-label={`Event ${shown.event.seq}`}>
          {JSON.stringify(shown.event, null, 2)}
        </pre>
      )}
    </aside>
  );
}
