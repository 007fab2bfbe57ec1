// Places notes in the conversation: after the last message of their run that existed when their event was emitted. So a
// note has the same place for live readers and later ones.

import type { MessageView } from "threadhold/client";

import type { PlacedNote } from "./rows.ts";
import type { RunNote } from "./run-note.ts";

/** The notes with their places. Notes of messages that are not loaded are left out. */
export function placeNotes(notes: readonly RunNote[], messages: readonly MessageView[], whole: boolean): PlacedNote[] {
  if (notes.length === 0) return [];
  const runs = new Set(notes.map(({ runId }) => runId));
  const perRun = new Map<string, MessageView[]>();
  for (const message of messages) {
    const { run_id: id } = message;
    if (id === null || !runs.has(id)) continue;
    const known = perRun.get(id);
    if (known === undefined) perRun.set(id, [message]);
    else known.push(message);
  }
  const placed: PlacedNote[] = [];
  for (const note of notes) {
    const ofRun = note.runId === null ? [] : (perRun.get(note.runId) ?? []);
    const place = ofRun.findLast((message) => isBefore(message, note) && isInLine(message, note.under));
    const other = place ?? messages.findLast((message) => isBefore(message, note));
    if (other !== undefined || whole) placed.push({ after: other?.id ?? null, note });
  }
  return placed;
}

function isBefore(message: MessageView, note: RunNote): boolean {
  if (message.streaming) return false;
  return (
    message.created_at < note.at || (message.created_at === note.at && !(note.ahead && message.role === "assistant"))
  );
}

/** Whether a message is in the scope under another message, or is that message. */
function isInLine({ id, parent_id: parent }: MessageView, under: string | null): boolean {
  return parent === under || id === under;
}
