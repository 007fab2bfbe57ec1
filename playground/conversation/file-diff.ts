// The changes of a call of `edit_file` or `write_file` as lines of a diff.

import type { Json } from "threadhold/client";

/** A line of a diff. */
export interface DiffLine {
  kind: "removed" | "added" | "same";
  text: string;
}

/** The changes of one file. */
export interface FileDiff {
  path: string;
  /** Whether the call replaces the whole file, whose previous text is unknown. */
  whole: boolean;
  lines: readonly DiffLine[];
}

/** Reads the arguments of a call; null if the call changes no file, or if its arguments are incomplete. */
export function fileDiffOf(tool: string, args: Json): FileDiff | null {
  if (args === null || typeof args !== "object" || Array.isArray(args)) return null;
  const { path, old_text: before, new_text: after, content } = args;
  if (typeof path !== "string") return null;
  if (tool === "edit_file" && typeof before === "string" && typeof after === "string") {
    return { path, whole: false, lines: changedLines(linesOf(before), linesOf(after)) };
  }
  if (tool === "write_file" && typeof content === "string") {
    return { path, whole: true, lines: changedLines([], linesOf(content)) };
  }
  return null;
}

/** Returns the lines of both texts. Common lines at the beginning and at the end have the kind `same`. */
function changedLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const lines = (kind: DiffLine["kind"], texts: readonly string[]) => texts.map((text) => ({ kind, text }));
  return [
    ...lines("same", after.slice(0, start)),
    ...lines("removed", before.slice(start, before.length - end)),
    ...lines("added", after.slice(start, after.length - end)),
    ...lines("same", after.slice(after.length - end)),
  ];
}

/** A line break at the end of a text begins no further line. */
function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
