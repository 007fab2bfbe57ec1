// Normalises paths of a thread's files: each file has one path, and no path leads outside of the thread's root. A path that cannot be
// normalised is refused.

import { refuse } from "#contract/error.ts";

/** Maximal UTF-8 bytes of a path, and of one name in it. */
export const pathLimit = 1024;
export const nameLimit = 255;

/** Maximal names in a path, because each missing folder becomes a row. */
export const depthLimit = 64;

/** A normalised path: `/`, or names with a `/` before each. */
export interface FilePath {
  /** With a leading `/`, without a trailing one. */
  path: string;
  /** Path of the folder that contains it. The root contains itself. */
  parent: string;
  /** Empty for the root. */
  name: string;
}

const encoder = new TextEncoder();

/**
 * Normalises a path. A missing leading `/` is added, empty names and `.` are dropped, `..` goes up but not above the root, Unicode
 * becomes NFC. Case is kept. Refused: control characters, backslashes, lone surrogates, names and paths that are too long.
 */
export function filePath(given: unknown): FilePath {
  if (typeof given !== "string") throw bad(typeof given, "must be a string");
  // Longer than any normalised path can be, so it is not processed further.
  if (given.length > 16 * pathLimit) throw bad(given, `has more than ${pathLimit} bytes`);
  if (!given.isWellFormed()) throw bad(given, "holds half a character");
  if (hasControl(given)) throw bad(given, "holds a control character");
  if (given.includes("\\")) throw bad(given, "holds a backslash; folders are parted by /");
  const names: string[] = [];
  for (const name of given.normalize("NFC").split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.pop() === undefined) throw bad(given, "leads out of the thread's files");
  }
  return pathOf(names, given);
}

function pathOf(names: readonly string[], given: string): FilePath {
  const long = names.find((name) => encoder.encode(name).byteLength > nameLimit);
  if (long !== undefined) throw bad(given, `has a name of more than ${nameLimit} bytes`);
  if (names.length > depthLimit) throw bad(given, `has more than ${depthLimit} names`);
  const path = `/${names.join("/")}`;
  if (encoder.encode(path).byteLength > pathLimit) throw bad(given, `has more than ${pathLimit} bytes`);
  return { path, parent: `/${names.slice(0, -1).join("/")}`, name: names.at(-1) ?? "" };
}

/** The folders that contain a path, from the root's child down. */
export function foldersAbove({ path }: FilePath): FilePath[] {
  const names = path.split("/").slice(1, -1);
  return names.map((_, at) => pathOf(names.slice(0, at + 1), path));
}

/** Joins the columns of a row to a path. */
export function joined(parent: string, name: string): string {
  return parent === "/" ? `/${name}` : `${parent}/${name}`;
}

function hasControl(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true;
  }
  return false;
}

function bad(given: string, why: string) {
  const shown = JSON.stringify(given.length > 100 ? `${given.slice(0, 100)}…` : given);
  return refuse("invalid_request", `The path ${shown} ${why}.`, { fields: [{ path: "path", message: why }] });
}
