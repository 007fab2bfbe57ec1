// Writes files atomically, so that a reader never gets an incomplete file, and only if they change, so that watchers are not notified
// without a reason.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
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
