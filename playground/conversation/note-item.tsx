// A note about a run between messages. The note about the end of the last run has a button that repeats the run.

import { useMutation } from "@tanstack/react-query";
import { memo } from "react";
import type { ReactElement } from "react";
import type { ThreadHandle } from "threadhold/client";

import { Button } from "../kit/button.tsx";
import { clockOrDay, dayAndTime, iso } from "../kit/figures.ts";
import { ErrorNote } from "../kit/note.tsx";
import { Attachment } from "./attachment.tsx";
import type { RunNote } from "./run-note.ts";

import css from "./message.module.css";

interface NoteItemProps {
  handle: ThreadHandle;
  note: RunNote;
  /** Another note follows directly. */
  more: boolean;
  /** The note's run may be repeated. */
  repeatable: boolean;
}

export const NoteItem = memo(function NoteItem({ handle, note, more, repeatable }: NoteItemProps): ReactElement {
  return (
    <div className={css["note"]} data-tone={note.tone} data-more={more}>
      <time className={css["noteTime"]} dateTime={iso(note.at)} title={dayAndTime(note.at)}>
        {clockOrDay(note.at, Date.now())}
      </time>
      <div className={css["noteText"]}>
        {note.file === undefined ? <p>{note.text}</p> : <WrittenFile handle={handle} file={note.file} />}
        {repeatable ? <Repeat handle={handle} label={note.ended === "limit" ? "Continue" : "Try again"} /> : null}
      </div>
    </div>
  );
});

function WrittenFile({ handle, file }: { handle: ThreadHandle; file: NonNullable<RunNote["file"]> }): ReactElement {
  const { path, mimeType: type, size, width = null, height = null } = file;
  return <Attachment handle={handle} file={{ path, url: null, name: path.slice(1), type, size, width, height }} />;
}

/** A run without a new message continues after the last run, with that run's message and results. */
function Repeat({ handle, label }: { handle: ThreadHandle; label: string }): ReactElement {
  const again = useMutation({ mutationFn: () => handle.runs.post() });
  return (
    <div className={css["repeat"]}>
      <Button small disabled={again.isPending || again.isSuccess} onClick={() => again.mutate()}>
        {again.isPending ? "Starting…" : label}
      </Button>
      {again.error === null ? null : <ErrorNote title="The run was not started" error={again.error} />}
    </div>
  );
}
