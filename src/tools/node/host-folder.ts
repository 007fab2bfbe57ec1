// The paths of a folder of this machine. In a path from a model, `/` is the folder. The real path of an entry is checked, so a link cannot
// lead out of the folder.

import { lstat, realpath } from "node:fs/promises";
import path from "node:path";

import { refuse } from "#contract/error.ts";
import type { ErrorCode } from "#contract/error.ts";

/** A folder, and the paths in it. */
export class HostFolder {
  readonly #given: string;
  #real: string | undefined;

  /** `root` is the path of the folder on this machine. */
  constructor(root: string) {
    this.#given = path.resolve(root);
  }

  /** Returns a path as results show it: with a leading `/`, which is the folder. */
  shown(given: string): string {
    if (given.includes("\0")) throw refuse("invalid_request", "The path contains a zero character.");
    const names: string[] = [];
    for (const name of given.split("/")) {
      if (name === "" || name === ".") continue;
      if (name !== "..") names.push(name);
      else if (names.pop() === undefined) throw outside(given);
    }
    return `/${names.join("/")}`;
  }

  /** Returns the real path of an entry on this machine; null if there is none. */
  async existing(given: string): Promise<string | null> {
    const root = await this.root();
    const at = path.join(root, this.shown(given));
    const real = await nullIfAbsent(named(given, realpath(at)));
    if (real === null) {
      // An entry without a real path is a link to a missing file.
      if ((await nullIfAbsent(named(given, lstat(at)))) === null) return null;
      throw refuse("invalid_request", `${given} is a link to a file that does not exist. Use the path of a file.`);
    }
    if (!isBelow(real, root)) throw outside(given);
    return real;
  }

  /** Returns the path on this machine at which a file is written. The folders above it may be missing. */
  async writable(given: string): Promise<string> {
    const existing = await this.existing(given);
    if (existing !== null) return existing;
    const shown = this.shown(given);
    const missing: string[] = [];
    for (let at = shown; at !== "/"; at = path.posix.dirname(at)) {
      const real = await this.existing(at);
      if (real !== null) return path.join(real, ...missing);
      missing.unshift(path.posix.basename(at));
    }
    return path.join(await this.root(), ...missing);
  }

  /** Checks a folder that was created or opened for a write. Throws if its real path is outside. */
  async assertInside(folder: string, given: string): Promise<void> {
    if (!isBelow(await named(given, realpath(folder)), await this.root())) throw outside(given);
  }

  /** The real path of the folder. */
  async root(): Promise<string> {
    this.#real ??= await nullIfAbsent(realpath(this.#given)).then((real) => real ?? undefined);
    if (this.#real === undefined) {
      throw refuse("file_not_found", `The folder ${this.#given} of the tools does not exist. Create it.`);
    }
    return this.#real;
  }
}

/** What the system's error codes mean for a path, and what to do. */
const meanings: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  EACCES: [
    "forbidden",
    "the user of this program has no permission for it. Use another path, or change its permissions.",
  ],
  EPERM: ["forbidden", "the system does not permit it. Use another path, or change its permissions."],
  EROFS: ["forbidden", "its file system is read-only. Use another path."],
  ELOOP: ["invalid_request", "its links lead to each other. Use the path of a file."],
  ENAMETOOLONG: ["invalid_request", "the name is too long for the file system. Use a shorter one."],
  EISDIR: ["conflict", "it is a folder. Use the path of a file."],
  ENOSPC: ["unavailable", "the disk is full. Remove files, then try again."],
  EDQUOT: ["unavailable", "the disk quota is used up. Remove files, then try again."],
  EMFILE: ["unavailable", "too many files are open. Try again."],
  ENFILE: ["unavailable", "too many files are open. Try again."],
};

/**
 * Converts a system error of an operation to an error with the path that the model gave, because the system's text contains the path on
 * this machine. The error of an absent entry is not converted, because `nullIfAbsent` reads it.
 */
export async function named<T>(given: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    throw namedError(given, thrown);
  }
}

/** Returns the error of `named`. */
export function namedError(given: string, thrown: unknown): unknown {
  const { code, syscall } = thrown as { code?: unknown; syscall?: unknown };
  if (typeof code !== "string" || syscall === undefined || isAbsence(code)) return thrown;
  const [errorCode, meaning] = meanings[code] ?? (["unavailable", `the system reports ${code}.`] as const);
  return refuse(errorCode, `Cannot access ${given}: ${meaning}`);
}

/** The result of an operation; null if the entry, or a folder above it, does not exist. */
export async function nullIfAbsent<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (thrown) {
    if (isAbsence((thrown as { code?: unknown }).code)) return null;
    throw thrown;
  }
}

function isAbsence(code: unknown): boolean {
  return code === "ENOENT" || code === "ENOTDIR";
}

function isBelow(real: string, root: string): boolean {
  return real === root || real.startsWith(root.endsWith(path.sep) ? root : `${root}${path.sep}`);
}

function outside(given: string): Error {
  return refuse("invalid_request", `The path ${JSON.stringify(given)} leads out of the folder of this tool.`);
}
