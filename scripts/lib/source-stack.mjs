// Replaces positions in wrangler's bundle, as they appear in stacks, by positions in the project's own files. The bundle's source map
// is read when a line names the bundle, and again after each build.

import { readFileSync, statSync } from "node:fs";
import { SourceMap } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { root } from "./paths.mjs";

const place = /(?:file:\/\/)?([^\s"'()]*[\\/]\.wrangler[\\/]+tmp[\\/]+[^\s"'():]+\.js):(\d+):(\d+)/g;

/** @type {Map<string, { builtAt: number, map: SourceMap }>} */
const known = new Map();

/**
 * The line with positions in the project's files. A position without an entry in a source map stays unchanged.
 *
 * @param {string} line
 * @param {string} [folder] the project
 */
export function withSourcePlaces(line, folder = root) {
  if (!line.includes(".wrangler")) return line;
  return line.replace(place, (found, file, row, column) => {
    const bundle = found.startsWith("file:") ? fileURLToPath(`file://${file}`) : file;
    const source = sourceOf(bundle, { row: Number(row), column: Number(column) });
    if (source === null) return found;
    const inside = path.relative(folder, source.file);
    return `${inside.startsWith("..") ? source.file : inside.replaceAll("\\", "/")}:${source.row}:${source.column}`;
  });
}

/** @returns {{ file: string, row: number, column: number } | null} */
function sourceOf(bundle, { row, column }) {
  const entry = mapOf(`${bundle}.map`)?.findEntry(row - 1, column - 1);
  if (entry === undefined || !("originalSource" in entry) || !entry.originalSource) return null;
  return {
    file: path.resolve(path.dirname(bundle), entry.originalSource),
    row: entry.originalLine + 1,
    column: entry.originalColumn + 1,
  };
}

function mapOf(file) {
  try {
    const builtAt = statSync(file).mtimeMs;
    const before = known.get(file);
    if (before?.builtAt === builtAt) return before.map;
    const { sourceRoot: _folder, ...payload } = JSON.parse(readFileSync(file, "utf8"));
    const map = new SourceMap(payload);
    known.set(file, { builtAt, map });
    return map;
  } catch {
    // The bundle is missing or being written, so the position stays unchanged.
    return null;
  }
}
