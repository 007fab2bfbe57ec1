// The answer of a search as a list of rows: a file, then its lines.

import type { GlobAnswer, GrepAnswer } from "threadhold/client";

/** A file, or with a number one of its lines. */
export interface FoundRow {
  path: string;
  line: number | null;
  /** Of the line. */
  content: string;
}

/** All of them, and how many there are. */
export interface FoundRows {
  rows: readonly FoundRow[];
  files: number;
  lines: number;
  truncated: boolean;
}

/** The rows of either answer. */
export function rowsFound(answer: GrepAnswer | GlobAnswer): FoundRows {
  const { truncated } = answer;
  if ("paths" in answer) {
    const rows = answer.paths.map((path) => ({ path, line: null, content: "" }));
    return { rows, files: rows.length, lines: 0, truncated };
  }
  const rows = answer.results.flatMap(({ path, matches }): FoundRow[] => [
    { path, line: null, content: "" },
    ...matches.map(({ line, content }) => ({ path, line, content })),
  ]);
  return { rows, files: answer.results.length, lines: rows.length - answer.results.length, truncated };
}
