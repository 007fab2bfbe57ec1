// The positions of notes in a conversation.

import { describe, expect, it } from "vitest";

import { placeNotes } from "#playground/conversation/place-notes.ts";
import type { RunNote } from "#playground/conversation/run-note.ts";

import { message } from "./support/message.ts";

const note = (at: number, more: Partial<RunNote> = {}): RunNote => ({
  key: `note-${at}`,
  tone: "wait",
  text: "told",
  seq: at,
  at,
  ahead: false,
  runId: "one",
  under: null,
  ...more,
});
const placeOf = (note: RunNote, whole = true): (string | null)[] =>
  placeNotes([note], messages, whole).map(({ after }) => after);

const messages = [
  message("asked", { role: "user", run_id: "one", created_at: 10 }),
  message("called", { run_id: "one", created_at: 20 }),
  message("answered", { role: "tool", run_id: "one", created_at: 25 }),
  message("below", { run_id: "one", created_at: 22, parent_id: "answered", depth: 1 }),
  message("said", { run_id: "one", created_at: 40 }),
  // This message waited in the queue while the first run was active.
  message("waited", { role: "user", run_id: "two", created_at: 15 }),
  message("grows", { run_id: "two", created_at: 50, streaming: true }),
];

describe("positions of notes in the conversation", () => {
  it("The conversation shows a note about a run after the messages that the run had then, and before inputs that waited for the run", () => {
    expect(placeOf(note(30))).toEqual(["answered"]);
    expect(placeOf(note(45))).toEqual(["said"]);
    expect(placeOf(note(55, { runId: "two" }))).toEqual(["waited"]);
  });

  it("The conversation shows a note about the next answer before an answer that begins at the same time, and after earlier messages", () => {
    expect(placeOf(note(40, { ahead: true }))).toEqual(["answered"]);
    expect(placeOf(note(40))).toEqual(["said"]);
    expect(placeOf(note(10, { ahead: true }))).toEqual(["asked"]);
  });

  it("The conversation shows a note about messages of a nested prompt under the prompt's call", () => {
    expect(placeOf(note(24, { under: "answered" }))).toEqual(["below"]);
  });

  it("The conversation shows a note about a run without messages at the position of its time, and not at all if earlier messages have not been loaded", () => {
    expect(placeOf(note(41, { runId: "none" }))).toEqual(["waited"]);
    expect(placeOf(note(5, { runId: "none" }))).toEqual([null]);
    expect(placeOf(note(5, { runId: "none" }), false)).toEqual([]);
  });
});
