// What the last check for Workers was made of, so that a build in which nothing of it changed need not make it again.

import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";

import { readIfThere, writeIfChanged } from "./changed-file.ts";
import type { BundlePlaces } from "./module-bundle.ts";
import type { WranglerSettings } from "./wrangler-settings.ts";

/** What decides what a check finds, besides the sources that it read. */
export interface CheckedProject {
  files: readonly string[];
  places: BundlePlaces;
  settings: WranglerSettings;
}

const memoryFile = ".cache/workers-checked.json";

/** Whether the last check found nothing, and would read the same now. */
export function wasChecked(project: CheckedProject): boolean {
  const text = readIfThere(join(project.places.root, memoryFile))?.toString("utf8");
  if (text === undefined) return false;
  // The file is this module's own.
  const { inputs, hash } = JSON.parse(text) as { inputs: string[]; hash: string };
  return hash === hashOf(project, inputs);
}

/** Keeps that a check which read these sources found nothing. */
export function rememberChecked(project: CheckedProject, inputs: readonly string[]): void {
  // Sources without a path are this compiler's own text.
  const read = inputs.filter((path) => !path.includes(":") && !path.includes("node_modules/"));
  writeIfChanged(join(project.places.root, memoryFile), JSON.stringify({ inputs: read, hash: hashOf(project, read) }));
}

function hashOf({ files, places, settings }: CheckedProject, inputs: readonly string[]): string {
  const hash = createHash("sha256");
  // The compiler's own bundle is named after its sources.
  hash.update(JSON.stringify([import.meta.url, files, settings, installedAt(places.root)]));
  for (const path of ["tsconfig.json", ...inputs]) {
    hash.update(`\0${path}\0`).update(readIfThere(join(places.root, path)) ?? "");
  }
  return hash.digest("hex");
}

/** When npm last changed the installed packages, in milliseconds. */
function installedAt(root: string): number {
  try {
    return statSync(join(root, "node_modules/.package-lock.json")).mtimeMs;
  } catch {
    // Nothing is installed here, or not by npm.
    return 0;
  }
}
