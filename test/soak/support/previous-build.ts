// The project at the previous commit, in a folder of its own, ready to be served with the current node_modules. Prints
// what it found; returns null if there is no such commit.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { missingPackages } from "../../../scripts/lib/installed-packages.mjs";
import { must, run } from "./program.ts";

const thisProject = fileURLToPath(new URL("../../../", import.meta.url));

/** The project folder. */
export interface PreviousBuild {
  root: string;
  /** Writes a file, by its path from the project's root. */
  write: (file: string, text: string) => void;
  remove: () => void;
}

/** The commit before this one, or the one that SOAK_FROM names. */
const wanted = process.env["SOAK_FROM"] ?? "HEAD~1";

/** The commit with its title; null if the clone has no earlier commit. */
export function previousCommit(): string | null {
  const found = run("git", ["log", "-1", "--format=%h %s", wanted, "--"], thisProject);
  return found.status === 0 ? found.stdout.trim() : null;
}

/** Checks the commit out. */
export function checkOutPrevious(): PreviousBuild {
  const root = mkdtempSync(path.join(tmpdir(), "threadhold-previous-"));
  const archive = `${root}.tar`;
  must("git", ["archive", "--output", archive, wanted], thisProject);
  must("tar", ["-xf", archive, "-C", root], root);
  rmSync(archive);
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  };
  write(".dev.vars", "OPEN_LOOPBACK=true\n");
  symlinkSync(path.join(thisProject, "node_modules"), path.join(root, "node_modules"));
  tellOfOtherPackages(root);
  keepInstalledShell(root);
  return { root, write, remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }) };
}

/**
 * Prints a note if the lockfile differs: that commit ran with other package versions, which is close enough for this
 * test.
 */
function tellOfOtherPackages(root: string): void {
  const read = (folder: string, file: string): unknown => JSON.parse(readFileSync(path.join(folder, file), "utf8"));
  const lockfile = read(root, "package-lock.json") as Parameters<typeof missingPackages>[0];
  const installed = read(thisProject, "node_modules/.package-lock.json") as typeof lockfile;
  const missing = missingPackages(lockfile, installed);
  if (missing.length > 0)
    console.log(`THE PREVIOUS COMMIT NAMES OTHER PACKAGES, and is given these: ${missing.join(", ")}`);
}

/** Replaces the script of an earlier commit that changed just-bash, because both commits share the installed packages. */
function keepInstalledShell(root: string): void {
  const previous = path.join(root, "scripts/lib/patch-shell.mjs");
  if (existsSync(previous)) writeFileSync(previous, "export function patchShell() {}\n");
}
