// Writes files atomically, so that a reader never gets an incomplete file, and only if they change, so that watchers are not notified
// without a reason. Finds out when a file was changed.

import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Writes a file atomically if its content differs. Returns whether it did. */
export function writeIfChanged(path: string, content: string | Uint8Array): boolean {
  const next = Buffer.from(content);
  if (readIfExists(path)?.equals(next)) return false;
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, next);
  renameSync(temporary, path);
  return true;
}

/** The content of a file; undefined if there is none. */
export function readIfExists(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    // A missing and an unreadable file have the same result.
    return undefined;
  }
}

/**
 * When a file was changed, in milliseconds since 1970 (ctime); 0 if there is none. The time of modification (mtime) is not enough: npm
 * gives the files of all versions of a package the same one.
 */
export function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0;
}

/** The difference, in milliseconds, that the clock of files may have to the clock of this process. */
const clockMs = 20;

/** Whether a file may have been changed at or after a time in milliseconds since 1970. */
export function mayHaveChangedSince(path: string, time: number): boolean {
  return changedAt(path) >= time - clockMs;
}
