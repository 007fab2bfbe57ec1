// Adds an entry to a list in brackets: an array or an object of JSON, an array or an inline table of TOML. The style of the list, its
// comments and a comma at its end stay.

import type { Splice } from "./config-edit.ts";

interface TextRange {
  start: number;
  end: number;
}

/** A list in brackets, with the ranges of its entries. The range of the list includes the brackets. */
export interface BracketedList extends TextRange {
  entries: readonly TextRange[];
  /** Finds the comments between the entries. */
  comment: RegExp;
  /** A level of indentation. */
  indent: string;
  /** Whether an empty list is written on several lines when it gets its first entry. */
  spread?: boolean;
}

/** The line break of the first line of a text. */
export const lineEnd = (text: string): string => (/\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n");

/** The white space at the beginning of the line of a position. */
export function indentAt(text: string, position: number): string {
  const line = text.lastIndexOf("\n", position - 1) + 1;
  return /^[ \t]*/.exec(text.slice(line, position))?.[0] ?? "";
}

/** The insertions that add an entry at the end of a list. */
export function addEntry(text: string, list: BracketedList, entry: string): Splice[] {
  const last = list.entries.at(-1);
  const first = list.entries[0];
  if (last === undefined || first === undefined) return [addFirst(text, list, entry)];
  // Only white space, comments and a comma follow the last entry.
  const rest = text.slice(last.end, list.end - 1).replaceAll(list.comment, (comment) => " ".repeat(comment.length));
  const comma = rest.indexOf(",");
  if (!text.slice(list.start, first.start).includes("\n")) {
    return comma === -1 ? [insert(last.end, `, ${entry}`)] : [insert(last.end + comma + 1, ` ${entry},`)];
  }
  const line = rest.indexOf("\n", comma + 1);
  const end = line === -1 ? comma + 1 : rest[line - 1] === "\r" ? line - 1 : line;
  const added = lineEnd(text) + indentAt(text, first.start) + entry;
  return comma === -1
    ? line === -1
      ? [insert(last.end, `,${added}`)]
      : [insert(last.end, ","), insert(last.end + end, added)]
    : [insert(last.end + end, `${added},`)];
}

function addFirst(text: string, list: BracketedList, entry: string): Splice {
  const { start, end } = list;
  const inside = text.slice(start + 1, end - 1);
  const indent = indentAt(text, end - 1);
  const added = lineEnd(text) + indent + list.indent + entry;
  // After the comments of the list, before the line of the closing bracket.
  if (inside.includes("\n")) return insert(start + 1 + inside.trimEnd().length, added);
  if (list.spread === true && inside.trim() === "") return insert(start + 1, added + lineEnd(text) + indent);
  const spaced = text[start] === "{" && inside === "";
  return insert(end - 1, spaced ? ` ${entry} ` : inside === "" ? entry : `${entry} `);
}

function insert(position: number, text: string): Splice {
  return { start: position, end: position, text };
}
