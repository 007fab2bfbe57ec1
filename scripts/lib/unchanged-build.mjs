// Remembers the last build of agents/ that had no finding, so that a build of the same files does not start the compiler. The dev command
// and wrangler build three times at each start. The record has a hash of everything that such a build reads and writes.

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

const recordFile = ".cache/unchanged-build.json";

/** What a build reads besides definitions, their imports and the findings of the last type check. */
const settings = ["tsconfig.json", "wrangler.toml", "wrangler.jsonc", "wrangler.json"];
const typeFindings = ".cache/types/findings.json";

/** What a build writes. Without these files, or with other content in them, it has to write them again. */
const outputs = ["registry.ts", "names.d.ts", "diagnostics.ts"].map((name) => path.join(".threadhold", name));
const lastGood = ["registry.txt", "sources.json"].map((name) => path.join(".cache/last-good", name));

/** The difference, in milliseconds, that the clock of files may have to the clock of this process. */
const clockMs = 20;

function definitionFiles(root) {
  const entries = readdirSync(path.join(root, "agents"), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
}

function filesRead(root, imports) {
  const files = new Set([...definitionFiles(root), ...imports, ...settings]);
  return [...files].toSorted((one, other) => (one < other ? -1 : 1));
}

/** When npm last changed the installed packages. */
const installedAt = (root) =>
  statSync(path.join(root, "node_modules/.package-lock.json"), { throwIfNoEntry: false })?.mtimeMs ?? 0;

function hashOf(root, compiler, imports) {
  const hash = createHash("sha256").update(JSON.stringify([path.basename(compiler), installedAt(root)]));
  for (const file of [...filesRead(root, imports), typeFindings, ...outputs, ...lastGood]) {
    const stat = statSync(path.join(root, file), { throwIfNoEntry: false });
    hash.update(`\0${file}\0`).update(stat?.isFile() ? readFileSync(path.join(root, file)) : "none");
  }
  return hash.digest("hex");
}

/**
 * Whether the last build had no finding, and a build would read and write the same now.
 *
 * @param {string} root the folder that contains agents/
 * @param {string} compiler the compiler's bundle, whose name changes with its sources
 */
export function isBuildUnchanged(root, compiler) {
  try {
    const { imports, hash } = JSON.parse(readFileSync(path.join(root, recordFile), "utf8"));
    return hash === hashOf(root, compiler, imports);
  } catch {
    // There is no record, or no agents/ folder. A build reports what is wrong.
    return false;
  }
}

/**
 * Records a build without a finding. The build is not recorded if one of its files was written while it ran, because the build may have
 * read the file before, or if there are type errors, which a later build may show.
 *
 * @param {string} root
 * @param {{ compiler: string, imports: string[], startedAt: number }} build `imports` are the sources in its bundle, as paths from the
 *   root; `startedAt` is in milliseconds since 1970
 */
export function recordBuild(root, { compiler, imports, startedAt }) {
  // Packages are covered by the time of their installation; a path with a colon is no file.
  const sources = imports.filter((file) => !file.includes(":") && !file.includes("node_modules/"));
  const changedAt = (file) => statSync(path.join(root, file), { throwIfNoEntry: false })?.ctimeMs ?? 0;
  const isOld = (file) => changedAt(file) < startedAt - clockMs;
  if (![...filesRead(root, sources), "agents"].every(isOld)) return;
  if (readFileSync(path.join(root, typeFindings), "utf8") !== "[]") return;
  const file = path.join(root, recordFile);
  const temporary = `${file}.${process.pid}.tmp`;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(temporary, JSON.stringify({ imports: sources, hash: hashOf(root, compiler, sources) }));
  renameSync(temporary, file);
}
