// The paths of a folder of this machine. A path of a model begins at the folder, as `/`. The real path of an entry is checked, so a link
// cannot lead out of the folder.

import { lstat, realpath } from "node:fs/promises";
import path from "node:path";

import { refuse } from "#contract/error.ts";

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
    const real = await nullIfAbsent(realpath(at));
    if (real === null) {
      // An entry without a real path is a link to a missing file.
      if ((await nullIfAbsent(lstat(at))) === null) return null;
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
    if (!isBelow(await realpath(folder), await this.root())) throw outside(given);
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

/** The result of an operation; null if the entry, or a folder above it, does not exist. */
export async function nullIfAbsent<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (thrown) {
    const { code } = thrown as { code?: unknown };
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw thrown;
  }
}

function isBelow(real: string, root: string): boolean {
  return real === root || real.startsWith(root.endsWith(path.sep) ? root : `${root}${path.sep}`);
}

function outside(given: string): Error {
  return refuse("invalid_request", `The path ${JSON.stringify(given)} leads out of the folder of this tool.`);
}
