// Writes several files or none. Everything is written next to its place first, and then renamed, so that no reader gets an incomplete
// file. If one of the renames fails, the files that were replaced get their old content back.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname } from "node:path";

import { CommandError } from "../context.ts";

/** The suffix of temporary files. It is constant, so that a run replaces the temporary files that a killed run left. */
export const temporarySuffix = ".threadhold.tmp";

/** The new content of a file. */
export interface FileChange {
  path: string;
  /** The content that the change was made from; null for a new file. */
  before: string | null;
  after: string;
}

/**
 * Writes all changes or none. Throws a `CommandError` if a file has another content than the change was made from, or cannot be written.
 * Tests replace `rename`.
 */
export function writeFiles(changes: readonly FileChange[], rename: typeof renameSync = renameSync): void {
  for (const { path, before } of changes) {
    if ((existsSync(path) ? readFileSync(path, "utf8") : null) === before) continue;
    throw new CommandError(
      `${basename(path)} was changed in the meantime. Nothing was written; run the command again.`,
    );
  }
  const undo: (() => void)[] = [];
  try {
    const prepared = changes.map((change) => prepare(change, undo));
    for (const { temporary, target, before } of prepared) {
      rename(temporary, target);
      undo.push(() => (before === null ? rmSync(target, { force: true }) : writeFileSync(target, before)));
    }
  } catch (thrown) {
    for (const step of undo.toReversed()) step();
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new CommandError(`The files could not be written, and nothing was changed: ${reason}`);
  }
}

/** Writes the new content next to its file. A link stays a link, and the file keeps its permissions. */
function prepare({ path, before, after }: FileChange, undo: (() => void)[]) {
  const target = before === null ? path : realpathSync(path);
  const created = mkdirSync(dirname(target), { recursive: true });
  if (created !== undefined) undo.push(() => rmSync(created, { recursive: true, force: true }));
  const temporary = target + temporarySuffix;
  undo.push(() => rmSync(temporary, { force: true }));
  writeFileSync(temporary, after);
  if (before !== null) chmodSync(temporary, statSync(target).mode);
  return { temporary, target, before };
}
