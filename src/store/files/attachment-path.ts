// Finds an unused path for an attachment under `/attachments/`. The path keeps the given name and extension as far as they are valid
// (decision 17: files of a thread).

import { filePath } from "./file-path.ts";
import type { FileRows } from "./file-rows.ts";

/** Maximal characters of the name and of the extension. */
const stemLimit = 60;
const extensionLimit = 12;

/** UTF-16 units of the given name that are read, from its end. */
const longest = 1024;

/** Numbered names to try before a random one is used. */
const tries = 20;

/**
 * Returns an unused path. Invalid characters become `_`. A name that a file or an attachment in progress uses already gets a number.
 */
export function freePath(rows: FileRows, given: string, onTheWay: ReadonlySet<string>): string {
  const { stem, extension } = nameParts(given);
  for (let number = 1; number <= tries; number += 1) {
    const { path, parent, name } = filePath(`/attachments/${stem}${number === 1 ? "" : `-${number}`}${extension}`);
    if (rows.find(parent, name) === null && !onTheWay.has(path)) return path;
  }
  return `/attachments/${stem}-${crypto.randomUUID().slice(0, 8)}${extension}`;
}

function nameParts(given: string): { stem: string; extension: string } {
  const base = given.slice(-longest).toWellFormed().normalize("NFC").split(/[/\\]/).at(-1) ?? "";
  // Keeps letters with combining marks, which many scripts need.
  const clean = Array.from(
    base
      .replace(/[^\p{L}\p{M}\p{N}._ -]/gu, "_")
      .replace(/^[. ]+/, "")
      .trimEnd(),
  );
  const dot = clean.lastIndexOf(".");
  const hasExtension = dot > 0 && clean.length - dot <= extensionLimit;
  const stem = clean
    .slice(0, hasExtension ? Math.min(dot, stemLimit) : stemLimit)
    .join("")
    .trim();
  return { stem: stem === "" ? "file" : stem, extension: hasExtension ? clean.slice(dot).join("") : "" };
}
