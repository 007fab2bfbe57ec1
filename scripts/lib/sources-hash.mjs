// A hash of the files that decide the result of a build, under which the result is stored. This module uses no packages, because scripts load
// it before they are installed.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

/**
 * Changes with the path and the content of each file, and with `other`.
 *
 * @param {string} root
 * @param {readonly string[]} sources files and folders, as paths from the root. Throws if one does not exist.
 * @param {unknown} [other] what else decides the result, as JSON
 * @returns {string} 32 hexadecimal digits
 */
export function sourcesHash(root, sources, other) {
  const hash = createHash("sha256").update(`${JSON.stringify(other)}\0`);
  const files = sources.flatMap((source) => filesOf(path.join(root, source)));
  for (const file of files.toSorted())
    hash.update(`${path.relative(root, file)}\0`).update(createHash("sha256").update(readFileSync(file)).digest());
  return hash.digest("hex").slice(0, 32);
}

/** The file, or all files in the folder. */
function filesOf(/** @type {string} */ place) {
  if (!statSync(place).isDirectory()) return [place];
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}
