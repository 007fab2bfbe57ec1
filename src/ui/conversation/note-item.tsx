// A note of the run between messages.

import { memo } from "react";
import type { ReactElement } from "react";

import { clockOrDay, dayAndTime, iso } from "../kit/figures.ts";
import type { RunNote } from "./run-note.ts";

import css from "./message.module.css";

/** The note. `more`: another one follows. */
export const NoteItem = memo(function NoteItem({ note, more }: { note: RunNote; more: boolean }): ReactElement {
  return (
    <div className={css["note"]} data-tone={note.tone} data-more={more}>
      <time className={css["noteTime"]} dateTime={iso(note.at)} title={dayAndTime(note.at)}>
        {clockOrDay(note.at, Date.now())}
      </time>
      <p className={css["noteText"]}>{note.text}</p>
    </div>
  );
});
