// The files of a thread, read from its events: the paths that exist, and the files that were written during a run. The
// conversation shows each file once, at its last change.

import type { EventOf, MessageView, ThreadEvent } from "threadhold/client";

import type { RunNote } from "./run-note.ts";

type FileRecord = NonNullable<EventOf<"file_changed">["file"]>;

/** The last change of a path; without a file, the path was deleted. */
interface LastChange {
  seq: number;
  at: number;
  file: FileRecord | null;
}

/** The changes of files and the ends of runs, as far as events have arrived. */
export interface FileTrack {
  /** By path. */
  changes: ReadonlyMap<string, LastChange>;
  /** Sequence numbers of the runs' ends, by the runs' ids. */
  ends: ReadonlyMap<string, number>;
}

/** The state before any event. */
export const noFiles: FileTrack = { changes: new Map(), ends: new Map() };

/** The state after these events, in any order; the same object if they change nothing. */
export function tracked(before: FileTrack, events: readonly ThreadEvent[]): FileTrack {
  const changes = new Map(before.changes);
  const ends = new Map(before.ends);
  let isNew = false;
  for (const event of events) {
    if (event.type === "run_end" && event.run_id !== undefined && !ends.has(event.run_id)) {
      ends.set(event.run_id, event.seq);
      isNew = true;
    } else if (event.type === "file_changed" && event.seq > (changes.get(event.path)?.seq ?? -1)) {
      changes.set(event.path, { seq: event.seq, at: event.at, file: event.file });
      isNew = true;
    }
  }
  return isNew ? { changes, ends } : before;
}

/** The paths of files that exist. */
export function pathsOf({ changes }: FileTrack): ReadonlySet<string> {
  return new Set([...changes].flatMap(([path, { file }]) => (file === null || file.isDirectory ? [] : [path])));
}

/**
 * Notes for the files that were written during a run. The event of a file does not name a run, so the file belongs to
 * the run of the last message before the event, unless that run had ended. A file that a user uploads during a run gets
 * a note at that point too; a note does not name the writer. Attachments are left out, because their messages show
 * them.
 */
export function writtenFiles({ changes, ends }: FileTrack, messages: readonly MessageView[]): RunNote[] {
  const attached = new Set(messages.flatMap(attachedPaths));
  const notes: RunNote[] = [];
  for (const [path, { seq, at, file }] of changes) {
    if (file === null || file.isDirectory || attached.has(path)) continue;
    const run = messages.findLast(({ created_at: created, run_id: id }) => id !== null && created <= at)?.run_id;
    if (run == null || (ends.get(run) ?? Infinity) < seq) continue;
    notes.push({
      key: `file-${path}`,
      tone: "quiet",
      text: path,
      seq,
      at,
      ahead: false,
      runId: run,
      under: null,
      file,
    });
  }
  return notes;
}

function attachedPaths({ attachments, result }: MessageView): string[] {
  return [...attachments, ...(result?.attachments ?? [])].map(({ path }) => path);
}
