// Builds the rows of a conversation: messages with the results of their calls and the messages under those calls, and
// notes between them. A row stays the same object until its content changes, so that of a list of thousands only the
// growing row is rendered again.

import type { MessageView } from "threadhold/client";

import type { RunNote } from "./run-note.ts";

/** A message with the tool messages of its calls, by the call's id. */
export interface MessageRow {
  kind: "message";
  key: string;
  message: MessageView;
  results: Readonly<Record<string, MessageView>>;
  /** The messages under its calls, by the call's id. */
  lines: Lines;
  /** The author is the same as that of the row before. */
  goesOn: boolean;
  /** For a message under a call, the call's name. */
  under: string | null;
  /** The time at which the first answer below it began; null if there is none. Messages under calls have none. */
  answeredAt: number | null;
}

/** Rows under calls, by the call's id. */
export type Lines = Readonly<Record<string, readonly MessageRow[]>>;

/** Calls whose tool message does not exist yet, by the id that the message will have. */
export type CallsAtWork = ReadonlyMap<string, string>;

interface NoteRow {
  kind: "note";
  key: string;
  note: RunNote;
}

export type Row = MessageRow | NoteRow;

/** A note and the message that it follows; null for a note before all messages. */
export interface PlacedNote {
  after: string | null;
  note: RunNote;
}

interface Known {
  /** Tool messages, by the call's id. */
  answers: ReadonlyMap<string, MessageView>;
  /** Messages under each call. */
  below: ReadonlyMap<string, readonly MessageView[]>;
}

interface Place {
  under: string | null;
  last: Row | undefined;
  answeredAt: number | null;
}

/** Builds rows from the current data, and keeps the earlier object of each unchanged row. */
export class RowBuilder {
  #before = new Map<string, Row>();
  #now = new Map<string, Row>();

  build(messages: readonly MessageView[], notes: readonly PlacedNote[], atWork: CallsAtWork = new Map()): Row[] {
    const { known, shown } = sorted(messages, atWork);
    this.#now = new Map();
    const rows: Row[] = [];
    const put = (after: string | null): void => {
      for (const placed of notes) if (placed.after === after) rows.push(this.#noteRow(placed.note));
    };
    put(null);
    const behind = notes.length === 0 ? new Map<string, string[]>() : lastShownBefore(messages, shown);
    const answers = answersBelow(shown);
    for (const [at, message] of shown.entries()) {
      const answeredAt = answers[at] ?? null;
      rows.push(this.#messageRow(message, known, { under: null, last: rows.at(-1), answeredAt }));
      for (const id of behind.get(message.id) ?? []) put(id);
    }
    this.#before = this.#now;
    return rows;
  }

  #noteRow(note: RunNote): Row {
    const old = this.#before.get(note.key);
    const row: Row = old?.kind === "note" && old.note === note ? old : { kind: "note", key: note.key, note };
    this.#now.set(row.key, row);
    return row;
  }

  #messageRow(message: MessageView, known: Known, { under, last, answeredAt }: Place): MessageRow {
    const before = this.#before.get(message.id);
    const old = before?.kind === "message" ? before : undefined;
    const results = resultsOf(message, known.answers);
    const lines = this.#lines(message, known, old);
    const goesOn = last?.kind === "message" && sameVoice(last.message, message);
    const same =
      old !== undefined &&
      old.message === message &&
      old.goesOn === goesOn &&
      old.under === under &&
      old.answeredAt === answeredAt &&
      old.lines === lines &&
      sameResults(old.results, results);
    const row: MessageRow = same
      ? old
      : { kind: "message", key: message.id, message, results, lines, goesOn, under, answeredAt };
    this.#now.set(row.key, row);
    return row;
  }

  #lines(message: MessageView, known: Known, old: MessageRow | undefined): Lines {
    const lines: Record<string, readonly MessageRow[]> = {};
    let some = false;
    for (const part of message.parts) {
      const said = part.type === "tool_call" ? known.below.get(part.id) : undefined;
      if (part.type !== "tool_call" || said === undefined) continue;
      const rows: MessageRow[] = [];
      for (const one of said) {
        rows.push(this.#messageRow(one, known, { under: part.name, last: rows.at(-1), answeredAt: null }));
      }
      const kept = old?.lines[part.id];
      lines[part.id] = kept !== undefined && sameRows(kept, rows) ? kept : rows;
      some = true;
    }
    if (!some) return noLines;
    const ids = Object.keys(lines);
    const same = old !== undefined && ids.length === Object.keys(old.lines).length;
    return same && ids.every((id) => old.lines[id] === lines[id]) ? old.lines : lines;
  }
}

const noLines: Lines = Object.freeze({});

function sameRows(one: readonly MessageRow[], other: readonly MessageRow[]): boolean {
  return one.length === other.length && one.every((row, at) => row === other[at]);
}

/** Divides the messages: those with a row of their own, and those shown in the row of a call. */
function sorted(messages: readonly MessageView[], atWork: CallsAtWork): { known: Known; shown: MessageView[] } {
  const names = namesOfCalls(messages);
  const answers = new Map<string, MessageView>();
  const calls = new Map(atWork);
  for (const message of messages) {
    const { role, tool_call_id: id } = message;
    if (role !== "tool" || id === null || !names.has(id)) continue;
    answers.set(id, message);
    calls.set(message.id, id);
  }
  const below = new Map<string, MessageView[]>();
  const shown = messages.filter((message) => {
    if (message.role === "tool" && message.tool_call_id !== null && names.has(message.tool_call_id)) return false;
    const call = message.parent_id === null ? undefined : calls.get(message.parent_id);
    if (call === undefined || !names.has(call)) return true;
    const line = below.get(call);
    if (line === undefined) below.set(call, [message]);
    else line.push(message);
    return false;
  });
  return { known: { answers, below }, shown };
}

const noResults: MessageRow["results"] = Object.freeze({});

function resultsOf({ parts }: MessageView, answers: ReadonlyMap<string, MessageView>): MessageRow["results"] {
  const results: Record<string, MessageView> = {};
  let some = false;
  for (const part of parts) {
    const answer = part.type === "tool_call" ? answers.get(part.id) : undefined;
    if (part.type !== "tool_call" || answer === undefined) continue;
    results[part.id] = answer;
    some = true;
  }
  return some ? results : noResults;
}

/** The names of the called tools, by the calls' ids. */
function namesOfCalls(messages: readonly MessageView[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const { role, parts } of messages) {
    if (role === "tool") continue;
    for (const part of parts) if (part.type === "tool_call") names.set(part.id, part.name);
  }
  return names;
}

/** The ids of messages whose notes follow a shown message: its own id, and those of hidden messages after it. */
function lastShownBefore(all: readonly MessageView[], shown: readonly MessageView[]): Map<string, string[]> {
  const visible = new Set(shown.map(({ id }) => id));
  const behind = new Map<string, string[]>();
  let last: string | null = null;
  for (const { id } of all) {
    if (visible.has(id)) last = id;
    if (last === null) continue;
    const ids = behind.get(last) ?? [];
    ids.push(id);
    behind.set(last, ids);
  }
  return behind;
}

/** For each message the time at which the first answer below it began; null if there is none. */
function answersBelow(shown: readonly MessageView[]): (number | null)[] {
  let next: number | null = null;
  return shown
    .toReversed()
    .map(({ role, created_at: at }) => {
      const below = next;
      if (role === "assistant") next = at;
      return below;
    })
    .toReversed();
}

function sameVoice(one: MessageView, other: MessageView): boolean {
  return (
    one.role === other.role &&
    one.side === other.side &&
    one.author === other.author &&
    one.parent_id === other.parent_id &&
    one.run_id === other.run_id
  );
}

function sameResults(
  one: Readonly<Record<string, MessageView>>,
  other: Readonly<Record<string, MessageView>>,
): boolean {
  if (one === other) return true;
  const ids = Object.keys(one);
  return ids.length === Object.keys(other).length && ids.every((id) => one[id] === other[id]);
}
