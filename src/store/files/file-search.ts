// Searches a thread's files by name and by content, within bounds. Results are sorted by path.

import { ThreadholdError, refuse } from "#contract/error.ts";
import { globMatcher } from "#core/files/glob.ts";
import type { PathMatcher } from "#core/files/glob.ts";
import { linePattern, matchingLines } from "#core/files/line-search.ts";
import type { LineSearch, MatchingLines } from "#core/files/line-search.ts";
import { SearchWork } from "#core/files/search-work.ts";
import type { Found, SearchOptions } from "#core/ports/thread-file-port.ts";
import type { GrepResult } from "#spec/index.ts";

import { filePath, joined } from "./file-path.ts";
import { fileChunks } from "./file-reader.ts";
import type { FileReaderParts } from "./file-reader.ts";
import type { FileRow, FileRows, Span } from "./file-rows.ts";

/** Default and maximal number of files in a result. */
const resultLimit = 1000;

/** Maximal lines of all files in a result. Further files are omitted. */
const shownLines = 10_000;

/** Maximal bytes that a search by content reads. A file that would exceed them is omitted. */
const searchedBytes = 64 * 1024 * 1024;

const page = 200;

/** Paths that match a glob, sorted. Throws `too_large` if matching would take too much work. */
export async function findFiles(
  rows: FileRows,
  glob: string,
  options: SearchOptions = {},
): Promise<Found<{ paths: string[]; total: number }>> {
  const matches = globMatcher(glob);
  const chosen = chooser(options);
  const limit = limitOf(options);
  const paths: string[] = [];
  const work = new SearchWork(options.signal);
  for (const row of filesUnder(rows, options.path)) {
    const path = joined(row.parent, row.name);
    work.read({ rows: 1 });
    if (!work.match(path.length, matches.weight + chosen.weight)) {
      throw refuse("too_large", "There are too many files for so heavy a glob. Look below a folder.");
    }
    if (chosen(path) && matches(path)) paths.push(path);
    if (work.mustPause) await work.pause();
  }
  return { paths: paths.sort().slice(0, limit), total: paths.length, truncated: paths.length > limit };
}

/** Files with their matching lines, sorted by path. External files are not searched, and do not set `truncated`. */
export async function grepFiles(
  parts: FileReaderParts,
  pattern: string,
  options: SearchOptions = {},
): Promise<Found<{ results: GrepResult[] }>> {
  const compiled = linePattern(pattern);
  const chosen = chooser(options);
  const limit = limitOf(options);
  const results: GrepResult[] = [];
  const work = new SearchWork(options.signal);
  let remainingBytes = searchedBytes;
  let lines = shownLines;
  let truncated = false;
  for (const row of filesUnder(parts.rows, options.path)) {
    work.read({ rows: 1 });
    if (work.mustPause) await work.pause();
    if (row.body.place?.type === "external") continue;
    const path = joined(row.parent, row.name);
    if (!work.match(path.length, chosen.weight)) {
      truncated = true;
      break;
    }
    if (!chosen(path)) continue;
    if (results.length >= limit || lines <= 0) {
      truncated = true;
      break;
    }
    if (row.size > remainingBytes || !work.allows(row.size, compiled.programSize())) {
      truncated = true;
      continue;
    }
    remainingBytes -= row.size;
    const { matches, cut } = await matchesIn(parts, row, { pattern: compiled, limit: lines, work });
    truncated ||= cut;
    if (matches.length === 0) continue;
    lines -= matches.length;
    results.push({ path, matches });
  }
  return { results: results.sort((first, second) => (first.path < second.path ? -1 : 1)), truncated };
}

/** The matching lines of one file; none if it was changed or deleted during the search. */
async function matchesIn(parts: FileReaderParts, row: FileRow, search: LineSearch): Promise<MatchingLines> {
  const none = { matches: [], cut: false };
  try {
    return (await matchingLines(fileChunks(parts, row), search)) ?? none;
  } catch (thrown) {
    if (thrown instanceof ThreadholdError && thrown.code === "conflict") return none;
    throw thrown;
  }
}

/** Whether a search takes a file, by the options `include`, `exclude` and `depth`. */
function chooser({ path: folder, include, exclude = [], depth }: SearchOptions): PathMatcher {
  const matches = include === undefined ? null : globMatcher(include);
  const excluded = new Set(exclude);
  const base = filePath(folder ?? "/").path;
  const start = base === "/" ? 1 : base.length + 1;
  const takes = (path: string): boolean => {
    const names = path.slice(start).split("/");
    if (depth !== undefined && names.length > depth) return false;
    return !names.slice(0, -1).some((name) => excluded.has(name)) && (matches === null || matches(path));
  };
  return Object.assign(takes, { weight: matches?.weight ?? 0 });
}

function limitOf({ limit = resultLimit }: SearchOptions): number {
  if (Number.isInteger(limit) && limit > 0) return Math.min(limit, resultLimit);
  throw refuse("invalid_request", "`limit` must be a whole number from 1 on.", {
    fields: [{ path: "limit", message: "must be a whole number from 1 on" }],
  });
}

/** The files below a folder. */
function* filesUnder(rows: FileRows, folder = "/"): Generator<FileRow> {
  for (const span of spansOf(filePath(folder).path)) {
    let after: Pick<FileRow, "parent" | "name"> | null = null;
    for (;;) {
      const found: FileRow[] = rows.files(span, { after, limit: page });
      yield* found;
      after = found.at(-1) ?? null;
      if (found.length < page || after === null) break;
    }
  }
}

/** A folder's own files, then those of the folders below: names have no control characters, and `0` is the character after `/`. */
function spansOf(path: string): Span[] {
  if (path === "/") return [{ from: path, to: null }];
  return [
    { from: path, to: `${path}\u0001` },
    { from: `${path}/`, to: `${path}0` },
  ];
}
