// A copy of the project's files in a temporary folder, in which mutations are tested. No file of the project is written.

import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { fromRoot } from "./paths.mjs";
import { runCommand } from "./run-command.mjs";

/** Files that Git ignores and tests need. */
const ignoredFiles = [".threadhold", ".dev.vars"];

/** @returns {Promise<string>} the folder of the copy */
export async function copyTree() {
  const folder = mkdtempSync(path.join(tmpdir(), "threadhold-mutants-"));
  const { code, output } = await runCommand("git", ["ls-files", "-z", "-co", "--exclude-standard"], { quiet: true });
  if (code !== 0) throw new Error(`Git cannot list the files of the project: ${output}`);
  // A file that was removed and not committed is in the list.
  const files = [...output.split("\0"), ...ignoredFiles].filter((file) => file !== "" && existsSync(fromRoot(file)));
  for (const file of files) cpSync(fromRoot(file), path.join(folder, file), { recursive: true });
  // Packages are links. The folders of caches are left out, because a run writes to them.
  const isCache = (entry) => entry.isDirectory() && entry.name.startsWith(".") && entry.name !== ".bin";
  const entries = readdirSync(fromRoot("node_modules"), { withFileTypes: true }).filter((entry) => !isCache(entry));
  mkdirSync(path.join(folder, "node_modules"));
  for (const { name } of entries)
    symlinkSync(fromRoot(`node_modules/${name}`), path.join(folder, "node_modules", name));
  return folder;
}

/**
 * The test files that run a test which a document names. A suite such as `files/workspace-contract.ts` is run by the files that import it.
 *
 * @param {string} file
 * @param {string[]} testFiles all files below test/
 * @returns {string[]}
 */
export function runnersOf(file, testFiles) {
  if (/\.test\.tsx?$/.test(file)) return [file];
  const name = path.basename(file);
  const imports = (other) => readFileSync(fromRoot(other), "utf8").includes(`/${name}"`);
  return testFiles.filter((other) => /\.test\.tsx?$/.test(other) && imports(other));
}
