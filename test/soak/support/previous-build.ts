// The project as it was one commit ago, in a folder of its own, ready to be served with this one's node_modules. Says what it
// found, and gives nothing where there is no such commit.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { missingPackages } from "../../../scripts/lib/installed-packages.mjs";
import { must, run } from "./program.ts";

const thisProject = fileURLToPath(new URL("../../../", import.meta.url));

/** Where it is. */
export interface PreviousBuild {
  root: string;
  /** Writes a file, by its path from the project's root. */
  write: (file: string, text: string) => void;
  remove: () => void;
}

/** The one before this, or any other that is to begin the threads. */
const wanted = process.env["SOAK_FROM"] ?? "HEAD~1";

/** The commit and what it says of itself; null where the clone holds none before this one. */
export function previousCommit(): string | null {
  const found = run("git", ["log", "-1", "--format=%h %s", wanted, "--"], thisProject);
  return found.status === 0 ? found.stdout.trim() : null;
}

/** Checks it out. */
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
  return { root, write, remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }) };
}

/** Another lockfile means other versions than the ones that commit ran with: near enough, but said. */
function tellOfOtherPackages(root: string): void {
  const read = (folder: string, file: string): unknown => JSON.parse(readFileSync(path.join(folder, file), "utf8"));
  const lockfile = read(root, "package-lock.json") as Parameters<typeof missingPackages>[0];
  const installed = read(thisProject, "node_modules/.package-lock.json") as typeof lockfile;
  const missing = missingPackages(lockfile, installed);
  if (missing.length > 0)
    console.log(`THE PREVIOUS COMMIT NAMES OTHER PACKAGES, and is given these: ${missing.join(", ")}`);
}
