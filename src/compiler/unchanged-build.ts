// Records the last build of agents/ that had no finding, so that a build of the same files does nothing. A development server builds
// several times at each start. The record has a hash of everything that such a build reads and writes.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";

import { mayHaveChangedSince, readIfExists, writeIfChanged } from "./changed-file.ts";
import { secretFiles } from "./worker-environment.ts";

const recordFile = ".cache/unchanged-build.json";

/** What a build reads besides definitions, their imports and the findings of the last type check. */
const settings = ["tsconfig.json", "wrangler.toml", "wrangler.jsonc", "wrangler.json"];
/** The findings of the last type check. The development server builds again when this file changes. */
export const typeFindingsFile = ".cache/types/findings.json";

/** What a build writes. Without these files, or with other content in them, it has to write them again. */
const outputs = ["registry.ts", "names.d.ts", "env.d.ts", "diagnostics.ts", "worker.ts", "skills.ts"].map((name) =>
  join(".threadhold", name),
);
const lastGood = ["registry.txt", "sources.json"].map((name) => join(".cache/last-good", name));

function definitionFiles(root: string): string[] {
  const entries = readdirSync(join(root, "agents"), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

function filesRead(root: string, imports: readonly string[]): string[] {
  const files = new Set([...definitionFiles(root), ...imports, ...settings, ...secretFiles(root)]);
  return [...files].toSorted((one, other) => (one < other ? -1 : 1));
}

/** When npm last changed the installed packages. */
const installedAt = (root: string): number =>
  statSync(join(root, "node_modules/.package-lock.json"), { throwIfNoEntry: false })?.mtimeMs ?? 0;

function hashOf(root: string, version: string, imports: readonly string[]): string {
  const hash = createHash("sha256").update(JSON.stringify([version, installedAt(root)]));
  for (const file of [...filesRead(root, imports), typeFindingsFile, ...outputs, ...lastGood]) {
    const stat = statSync(join(root, file), { throwIfNoEntry: false });
    hash.update(`\0${file}\0`).update(stat?.isFile() ? readFileSync(join(root, file)) : "none");
  }
  return hash.digest("hex");
}

/** Whether the last build had no finding, and a build by the compiler of this version would read and write the same now. */
export function isBuildUnchanged(root: string, version: string): boolean {
  try {
    const record = JSON.parse(readIfExists(join(root, recordFile))?.toString("utf8") ?? "{}") as Record<
      string,
      unknown
    >;
    const { imports, hash } = record;
    return Array.isArray(imports) && hash === hashOf(root, version, imports.map(String));
  } catch {
    // The record is damaged, or there is no agents/ folder. A build reports what is wrong.
    return false;
  }
}

/** A build without a finding. */
interface CleanBuild {
  /** The version of the compiler. */
  version: string;
  /** The sources in the bundle, as paths from the root. */
  inputs: readonly string[];
  /** Milliseconds since 1970. */
  startedAt: number;
}

/**
 * Records a build without a finding. The build is not recorded if one of its files was written while it ran, because the build may have
 * read the file before, or if there are type errors, which a later build may show.
 */
export function recordBuild(root: string, { version, inputs, startedAt }: CleanBuild): void {
  // Packages are covered by the time of their installation; a path with a colon is no file.
  const imports = inputs.filter((file) => !file.includes(":") && !file.includes("node_modules/"));
  if ([...filesRead(root, imports), "agents"].some((file) => mayHaveChangedSince(join(root, file), startedAt))) return;
  if (readIfExists(join(root, typeFindingsFile))?.toString("utf8") !== "[]") return;
  writeIfChanged(join(root, recordFile), JSON.stringify({ imports, hash: hashOf(root, version, imports) }));
}
