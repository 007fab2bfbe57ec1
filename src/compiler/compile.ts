// Compiles a project: finds, bundles, loads, reads and checks the definitions, once for Node, which reads them, and once for Workers,
// which run them. A build reports as many errors as possible: files that do not parse are left out, and the others are checked.

import { join } from "node:path";

import { catalogueOf } from "#models/load-catalogue.ts";
import type { Diagnostic } from "#spec/diagnostic.ts";

import { checkAgents } from "./agent-check.ts";
import { checkAvailability } from "./availability-check.ts";
import { reportBundleError } from "./bundle-error.ts";
import { checkCatalogue } from "./catalogue-check.ts";
import { readDefinition } from "./definition-reader.ts";
import { collectFindings, sortDiagnostics, type Findings } from "./findings.ts";
import { checkIncludes } from "./include-check.ts";
import { findMisplaced } from "./misplaced.ts";
import { bundleModules, type BundlePaths } from "./module-bundle.ts";
import { bundleFileName, evaluateModules, type ModuleOutcome } from "./module-evaluation.ts";
import { checkNames } from "./name-check.ts";
import { checkNodeModules, type RuntimeImport } from "./node-modules.ts";
import { findProjectFiles, type ProjectFile } from "./project-file.ts";
import { emptyProject, type Project } from "./project.ts";
import { checkProviders } from "./provider-check.ts";
import { checkReferences } from "./reference-check.ts";
import { checkRoutes } from "./route-check.ts";
import { checkSkillNames, readSkills } from "./skill-reader.ts";
import { openSyntaxTrees, type SyntaxTrees } from "./syntax-tree.ts";
import { checkForWorkers, reportForWorkers } from "./worker-check.ts";
import { readWorkerEnvironment } from "./worker-environment.ts";

/** The result of a build. `project` may be written only if there is no error. */
export interface Compilation {
  diagnostics: Diagnostic[];
  project: Project;
  files: number;
  /** The bundled definitions, for the hash. */
  bundle: string;
  /** The files in the bundle, as esbuild names them: paths from the root, and generated modules with a colon. */
  inputs: string[];
}

/** Compiles the `agents/` folder of a project. Writes nothing. */
export async function compileProject(root: string, packageRoot: string): Promise<Compilation> {
  const trees = openSyntaxTrees(root);
  const findings = collectFindings(trees);
  const project = { ...emptyProject(), environment: readWorkerEnvironment(root) };
  const files = findProjectFiles(root);
  const misplaced = findMisplaced(root, { findings, trees });
  if (files.length === 0) {
    findings.warning({
      code: "no_definitions",
      file: "agents",
      message: "there are no definitions, so there is nothing to talk to",
      suggestion: "npx threadhold new agent NAME",
    });
    return { diagnostics: [...findings.all], project, files: 0, bundle: "", inputs: [] };
  }
  const outputFile = join(root, ".cache", bundleFileName(root));
  const loaded = await loadFiles(files, { root, packageRoot, outputFile }, { findings, trees });
  for (const file of files) readDefinition(file, loaded.outcomes.get(file.file), { project, findings, trees });
  await checkProviders(project, findings);
  project.skills = readSkills(root, findings);
  project.catalogue = await catalogueOf(project.models.map(({ value }) => value));
  checkNames(project, findings);
  checkReferences(project, findings, misplaced);
  checkNodeModules(loaded.runtimeImports, root, findings);
  checkSkillNames(project, root, findings);
  checkIncludes(project, findings);
  checkAgents(project, findings);
  checkAvailability(project, findings);
  await checkCatalogue(project, findings);
  checkRoutes(project, findings);
  return {
    diagnostics: sortDiagnostics(findings.all),
    project,
    files: files.length,
    bundle: loaded.bundle,
    inputs: loaded.inputs,
  };
}

interface Loaded {
  outcomes: Map<string, ModuleOutcome>;
  bundle: string;
  inputs: string[];
  runtimeImports: readonly RuntimeImport[];
}

/** The files that Node loaded. The others are reported already, and the check for Workers would report them again. */
function loadedFiles(outcomes: ReadonlyMap<string, ModuleOutcome>): string[] {
  return [...outcomes].flatMap(([file, { type }]) => (type === "loaded" ? [file] : []));
}

async function loadFiles(
  files: readonly ProjectFile[],
  paths: BundlePaths,
  report: { findings: Findings; trees: SyntaxTrees },
): Promise<Loaded> {
  const nothing: Loaded = { outcomes: new Map(), bundle: "", inputs: [], runtimeImports: [] };
  let readable = files.map(({ file }) => file);
  while (readable.length > 0) {
    const bundled = await bundleModules(readable, paths);
    if (bundled.type === "built") {
      const { code, makeSourceMap } = bundled;
      const [outcomes, check] = await Promise.all([
        evaluateModules({ code, makeSourceMap, paths }),
        checkForWorkers(readable, paths),
      ]);
      reportForWorkers(check, { ...report, paths, loaded: loadedFiles(outcomes) });
      return { outcomes, bundle: bundled.code, inputs: bundled.inputs, runtimeImports: bundled.runtimeImports };
    }
    const faulty = new Set(bundled.errors.map((error) => error.location?.file));
    for (const error of bundled.errors) reportBundleError(error, report);
    const rest = readable.filter((file) => !faulty.has(file));
    // The error is in a shared file, and it is unknown which definitions import that file.
    if (rest.length === readable.length) return nothing;
    readable = rest;
  }
  return nothing;
}
