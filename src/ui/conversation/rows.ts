// The rows of a conversation: messages with the results of the calls they ask for, and notes between them. A row stays the same
// object until something in it changes, so that a list of thousands draws the one row that grows.

import type { MessageView } from "#client/index.ts";

import type { RunNote } from "./run-note.ts";

/** A message, with the tool messages that answer its calls, by the call's id. */
export interface MessageRow {
  kind: "message";
  key: string;
  message: MessageView;
  results: Readonly<Record<string, MessageView>>;
  /** The same voice as the row before speaks on. */
  goesOn: boolean;
  /** Of a message that was said to answer a call, the call's name. */
  under: string | null;
}

/** A note of the run. */
export interface NoteRow {
  kind: "note";
  key: string;
  note: RunNote;
}

/** One row. */
export type Row = MessageRow | NoteRow;

/** A note and the message it stands behind; null for before all. */
export interface PlacedNote {
  after: string | null;
  note: RunNote;
}

interface Surroundings {
  answers: ReadonlyMap<string, MessageView>;
  under: string | null;
  last: Row | undefined;
}

/** Builds rows out of what is known now, and keeps the old ones where they say the same. */
export class RowBuilder {
  #before = new Map<string, Row>();

  build(messages: readonly MessageView[], notes: readonly PlacedNote[]): Row[] {
    const asked = namesOfCalls(messages);
    const answers = new Map<string, MessageView>();
    const names = new Map<string, string>();
    for (const message of messages) {
      const { role, tool_call_id: id } = message;
      const name = id === null ? undefined : asked.get(id);
      if (role !== "tool" || id === null || name === undefined) continue;
      answers.set(id, message);
      names.set(message.id, name);
    }
    const shown = inLines(messages).filter(
      ({ tool_call_id: id, role }) => role !== "tool" || id === null || !asked.has(id),
    );
    const rows: Row[] = [];
    const put = (after: string | null): void => {
      for (const placed of notes) if (placed.after === after) rows.push(this.#noteRow(placed.note));
    };
    put(null);
    const behind = lastShownBefore(messages, shown);
    for (const message of shown) {
      const under = message.parent_id === null ? null : (names.get(message.parent_id) ?? null);
      rows.push(this.#messageRow(message, { answers, under, last: rows.at(-1) }));
      for (const id of behind.get(message.id) ?? []) put(id);
    }
    this.#before = new Map(rows.map((row) => [row.key, row]));
    return rows;
  }

  #noteRow(note: RunNote): Row {
    const known = this.#before.get(note.key);
    return known?.kind === "note" && known.note === note ? known : { kind: "note", key: note.key, note };
  }

  #messageRow(message: MessageView, { answers, under, last }: Surroundings): Row {
    const results: Record<string, MessageView> = {};
    for (const part of message.parts) {
      const answer = part.type === "tool_call" ? answers.get(part.id) : undefined;
      if (part.type === "tool_call" && answer !== undefined) results[part.id] = answer;
    }
    const goesOn = last?.kind === "message" && sameVoice(last.message, message);
    const known = this.#before.get(message.id);
    const same =
      known?.kind === "message" &&
      known.message === message &&
      known.goesOn === goesOn &&
      known.under === under &&
      sameResults(known.results, results);
    return same ? known : { kind: "message", key: message.id, message, results, goesOn, under };
  }
}

/** The names of the tools that were called, by the calls' ids. */
function namesOfCalls(messages: readonly MessageView[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const { role, parts } of messages) {
    if (role === "tool") continue;
    for (const part of parts) if (part.type === "tool_call") names.set(part.id, part.name);
  }
  return names;
}

/**
 * The messages with those that were said under a call directly behind it, call by call: of calls that are answered side by side
 * the words come mixed, and nobody could follow.
 */
function inLines(messages: readonly MessageView[]): readonly MessageView[] {
  if (messages.every(({ parent_id: id }) => id === null)) return messages;
  const here = new Set(messages.map(({ id }) => id));
  const below = new Map<string, MessageView[]>();
  const top: MessageView[] = [];
  for (const message of messages) {
    const parent = message.parent_id;
    if (parent === null || !here.has(parent)) top.push(message);
    else below.set(parent, [...(below.get(parent) ?? []), message]);
  }
  const whole = (message: MessageView): MessageView[] => [message, ...(below.get(message.id) ?? []).flatMap(whole)];
  return top.flatMap(whole);
}

/** The ids whose notes follow a shown message: its own, and those of hidden messages behind it. */
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

function sameVoice(one: MessageView, other: MessageView): boolean {
  return (
    one.role === other.role &&
    one.side === other.side &&
    one.parent_id === other.parent_id &&
    one.run_id === other.run_id
  );
}

function sameResults(
  one: Readonly<Record<string, MessageView>>,
  other: Readonly<Record<string, MessageView>>,
): boolean {
  const ids = Object.keys(one);
  return ids.length === Object.keys(other).length && ids.every((id) => one[id] === other[id]);
}
