// Converts the response of a search to a list of rows: a file, then its matching lines.

import type { GlobAnswer, GrepAnswer } from "threadhold/client";

/** A file, or one of its lines if `line` is a number. */
export interface FoundRow {
  path: string;
  line: number | null;
  /** The text of the line. */
  content: string;
}

/** The rows, and their number. */
export interface FoundRows {
  rows: readonly FoundRow[];
  files: number;
  lines: number;
  truncated: boolean;
}

/** The rows of either response. */
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
