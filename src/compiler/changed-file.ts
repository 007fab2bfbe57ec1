// Writing files so that a reader never sees half of one, and only when they change, so that nothing that watches
// them wakes for nothing.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Writes a file at once and only if its content differs; says whether it did. */
export function writeIfChanged(path: string, content: string | Uint8Array): boolean {
  const next = Buffer.from(content);
  if (readIfThere(path)?.equals(next)) return false;
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, next);
  renameSync(temporary, path);
  return true;
}

/** A file's content, or undefined where there is none. */
export function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    // Absent or unreadable comes to the same: there is nothing to use.
    return undefined;
  }
}
