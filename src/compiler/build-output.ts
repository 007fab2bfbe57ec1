// Writes the output of a build to `.threadhold/`. A successful build writes the registry, the names and the warnings, and keeps a copy
// of its sources. A failed development build writes the findings and lets the registry import that copy, because a source with a syntax
// error would otherwise break the bundle of the whole Worker.

import { createHash } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";

import type { Diagnostic } from "#spec/diagnostic.ts";

import { readIfExists, writeIfChanged } from "./changed-file.ts";
import {
  diagnosticsSource,
  environmentSource,
  namesSource,
  registrySource,
  skillsSource,
  workerSource,
} from "./generated-source.ts";
import { emptyProject, type Project } from "./project.ts";

/** A build without errors. */
export interface GoodBuild {
  root: string;
  project: Project;
  /** The bundled definitions, for the hash. */
  bundle: string;
  /** The project's sources in the bundle, as paths from the root. */
  sources: readonly string[];
  /** The warnings to show; none for a build that is deployed. */
  findings: readonly Diagnostic[];
}

const copyFolder = ".cache/last-good";

/** Writes a build without errors. Returns whether an output file changed. */
export function writeGoodBuild({ root, project, bundle, sources, findings }: GoodBuild): boolean {
  const generated = join(root, ".threadhold");
  const skills = skillsSource(project);
  const hash = createHash("sha256")
    .update(registrySource(project, "", ".."))
    .update(skills ?? "")
    .update(bundle.replaceAll(/"file:\/\/[^"]*"|createRequire\([^)]*\)/g, ""))
    .digest("hex")
    .slice(0, 16);
  keepSources(root, sources);
  writeIfChanged(join(root, copyFolder, "registry.txt"), registrySource(project, hash, `../${copyFolder}`));
  const changed = [
    writeIfChanged(join(generated, "names.d.ts"), namesSource(project)),
    writeIfChanged(join(generated, "env.d.ts"), environmentSource(project.environment)),
    writeIfChanged(join(generated, "registry.ts"), registrySource(project, hash, "..")),
    writeIfChanged(join(generated, "diagnostics.ts"), diagnosticsSource(findings)),
    writeIfChanged(join(generated, "worker.ts"), workerSource),
    skills !== null && writeIfChanged(join(generated, "skills.ts"), skills),
  ];
  if (skills === null) rmSync(join(generated, "skills.ts"), { force: true });
  return changed.includes(true);
}

function keepSources(root: string, sources: readonly string[]): void {
  const list = join(root, copyFolder, "sources.json");
  const before: unknown = JSON.parse(readIfExists(list)?.toString("utf8") ?? "[]");
  for (const path of sources) {
    const content = readIfExists(join(root, path));
    if (content) writeIfChanged(join(root, copyFolder, path), content);
  }
  for (const path of Array.isArray(before) ? before : []) {
    if (!sources.includes(String(path))) rmSync(join(root, copyFolder, String(path)), { force: true });
  }
  writeIfChanged(list, JSON.stringify(sources));
}

/** A build with errors. */
export interface FailedBuild {
  root: string;
  project: Project;
  findings: readonly Diagnostic[];
  /** Whether a server continues with the last successful build. */
  serveLastGood: boolean;
}

/**
 * Writes the findings and the names of a failed build. With `serveLastGood` the registry imports the sources of the last successful build, or is
 * empty if there was none.
 */
export function writeFailedBuild({ root, project, findings, serveLastGood }: FailedBuild): void {
  const generated = join(root, ".threadhold");
  writeIfChanged(join(generated, "diagnostics.ts"), diagnosticsSource(findings));
  // The check of types reads the names. Older names would be an error at each use of a definition that has an error or is new.
  writeIfChanged(join(generated, "names.d.ts"), namesSource(project));
  writeIfChanged(join(generated, "env.d.ts"), environmentSource(project.environment));
  if (!serveLastGood) return;
  const registry = join(generated, "registry.ts");
  const copy = readIfExists(join(root, copyFolder, "registry.txt"));
  if (copy) writeIfChanged(registry, copy);
  else if (!existsSync(registry)) writeIfChanged(registry, registrySource(emptyProject(), "empty", ".."));
  writeIfChanged(join(generated, "worker.ts"), workerSource);
}
