// Replaces positions in wrangler's bundle, as they appear in stacks, by positions in the project's own files. The bundle's source map
// is read when a line names the bundle, and again after each build.

import { readFileSync, statSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** A position, counted from 1. */
interface Position {
  row: number;
  column: number;
}

const bundlePosition =
  /(?<![^\s"'()])(?:file:\/\/)?([^\s"'()]*[\\/]\.wrangler[\\/]+tmp[\\/]+[^\s"'():]+\.js):(\d+):(\d+)/g;

const known = new Map<string, { builtAt: number; map: SourceMap }>();

/** The maximum length of a line with a stack. A tool may write a line of any length. */
const longestStack = 65_536;

/** The line with positions in the project's files. A position without an entry in a source map stays unchanged. */
export function withSourcePositions(line: string, root: string): string {
  if (line.length > longestStack || !line.includes(".wrangler")) return line;
  return line.replaceAll(bundlePosition, (found: string, ...groups: string[]) => {
    const [file = "", row, column] = groups;
    const bundle = found.startsWith("file:") ? fileURLToPath(`file://${file}`) : file;
    const source = findSource(bundle, { row: Number(row), column: Number(column) });
    if (source === null) return found;
    const inside = relative(root, source.file);
    const shown = inside.startsWith("..") ? source.file : inside.replaceAll("\\", "/");
    return `${shown}:${String(source.row)}:${String(source.column)}`;
  });
}

function findSource(bundle: string, { row, column }: Position): (Position & { file: string }) | null {
  const entry = readSourceMap(`${bundle}.map`)?.findEntry(row - 1, column - 1);
  if (entry === undefined || !("originalSource" in entry) || !entry.originalSource) return null;
  return {
    file: resolve(dirname(bundle), entry.originalSource),
    row: entry.originalLine + 1,
    column: entry.originalColumn + 1,
  };
}

function readSourceMap(file: string): SourceMap | undefined {
  try {
    const builtAt = statSync(file).mtimeMs;
    const before = known.get(file);
    if (before?.builtAt === builtAt) return before.map;
    const { sourceRoot: _folder, ...payload } = JSON.parse(readFileSync(file, "utf8")) as SourceMapPayload;
    const map = new SourceMap(payload as SourceMapPayload);
    known.set(file, { builtAt, map });
    return map;
  } catch {
    // The bundle is missing or being written, so the position stays unchanged.
    return undefined;
  }
}
