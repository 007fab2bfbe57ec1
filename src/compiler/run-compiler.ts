// One build: compiles a project, prints the findings, writes the output to `.threadhold/` and returns the exit code.

import type { Diagnostic } from "#spec/diagnostic.ts";

import { writeFailedBuild, writeGoodBuild } from "./build-output.ts";
import { replacementNotes } from "./built-in-tools.ts";
import { newPriceNotes, priceNotes } from "./catalogue-check.ts";
import type { Compilation } from "./compile.ts";
import { formatDiagnostics } from "./diagnostic-report.ts";
import { sortDiagnostics } from "./findings.ts";
import { recordPackageVersion } from "./package-version.ts";
import { checkTypes, storedTypeFindings, prepareTypeFindings, withTypeFindings } from "./type-check.ts";
import { isBuildUnchanged, recordBuild } from "./unchanged-build.ts";

export interface BuildRequest {
  /** The folder that contains `agents/`, absolute. */
  root: string;
  /** The folder of the package `threadhold`. */
  packageRoot: string;
  /** `dev` keeps the last good output and never fails; `strict` fails on errors. */
  mode: "dev" | "strict";
  /**
   * `now`: types are checked after the build. `strict`: the same, and a type error is an error. `last`: types are not checked, and a `dev`
   * build shows the findings of the last check.
   */
  types: "now" | "strict" | "last";
  /** Print the result as one line of JSON. */
  json: boolean;
  /** Whether the output shows colours. */
  colours: boolean;
  print: (text: string) => void;
  /** Checks the types of a project in another process and does not wait for it. */
  checkTypesLater: (root: string) => void;
  /** Whether a newer build follows at once. This one then prints no findings and requests no check of types. */
  isReplaced?: () => boolean;
  /** Receives the result of a build that has no errors. */
  onCompiled?: (compilation: Compilation) => void;
  /** Identifies the compiler's sources. A build by a compiler with other sources is not reused. */
  version: string;
}

/** Runs a build and returns its exit code: 1 if a strict build has an error. */
export async function runCompiler({ root, packageRoot, version, ...request }: BuildRequest): Promise<0 | 1> {
  const dev = request.mode === "dev";
  // A check of types and the output as JSON need the findings of a build.
  if (request.types === "last" && !request.json && isBuildUnchanged(root, version)) {
    request.print("The definitions have not changed since they were compiled.");
    if (dev && request.isReplaced?.() !== true) request.checkTypesLater(root);
    return 0;
  }
  prepareTypeFindings(root);
  const startedAt = Date.now();
  const started = performance.now();
  // Imported here, since an unchanged build does not need the bundler.
  const { compileProject } = await import("./compile.ts");
  const { projectInputs } = await import("./module-bundle.ts");
  const compilation = await compileProject(root, packageRoot);
  const { diagnostics: built, project, files, bundle, inputs } = compilation;
  const diagnostics = (types: readonly Diagnostic[]): Diagnostic[] => sortDiagnostics(withTypeFindings(built, types));
  const compiled = !built.some(isError);
  let changed = false;
  let found = diagnostics(dev ? storedTypeFindings(root) : []);
  const sources = projectInputs(inputs, root);
  if (compiled) {
    changed = writeGoodBuild({ root, project, bundle, sources, findings: dev ? found : [] });
    recordPackageVersion(root, packageRoot);
    request.onCompiled?.(compilation);
  } else writeFailedBuild({ root, project, findings: found, serveLastGood: dev });
  if (built.length === 0) recordBuild(root, { version, inputs, startedAt });
  const milliseconds = Math.round(performance.now() - started);
  // The check follows the build, because TypeScript reads the names that the build writes.
  if (request.types === "now") found = diagnostics(await checkTypes(root, packageRoot));
  if (request.types === "strict") found = diagnostics(await checkTypes(root, packageRoot)).map(asStrict);
  const ok = !found.some(isError);
  const isReplaced = request.isReplaced?.() === true;
  if (request.json) request.print(JSON.stringify({ ok, changed, files, milliseconds, diagnostics: found }));
  else {
    const report = isReplaced ? "" : formatDiagnostics(found, request.colours);
    if (report !== "") request.print(report);
    if (compiled) {
      const prices = dev ? newPriceNotes(root, project) : priceNotes(project);
      for (const note of [...replacementNotes(project), ...prices]) request.print(note);
    }
    if (compiled) request.print(`compiled ${files} definitions in ${milliseconds} ms`);
    else if (dev && !isReplaced) request.print("the last good build keeps being served");
  }
  if (dev && !isReplaced) request.checkTypesLater(root);
  return ok || dev ? 0 : 1;
}

const isError = ({ severity }: Diagnostic): boolean => severity === "error";

/** A strict build refuses type errors. */
function asStrict(finding: Diagnostic): Diagnostic {
  return finding.code === "type" ? { ...finding, severity: "error" } : finding;
}
