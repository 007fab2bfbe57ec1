// A free path for an attachment: under `/attachments/`, with the name it was given as far as that is one, and its extension
// kept (decision 17).

import { filePath } from "./file-path.ts";
import type { FileRows } from "./file-rows.ts";

/** Characters that are kept of a name and of its extension. */
const stemLimit = 60;
const extensionLimit = 12;

/** UTF-16 units of a given name that are looked at, from its end. */
const longest = 1024;

/** Names that are tried with a number before a random one is taken. */
const tries = 20;

/**
 * The path. What cannot stand in a name becomes `_`; a name that is taken, by a file or by one that is on its way there,
 * gets a number.
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
  // Letters with their marks, as many scripts write them.
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
