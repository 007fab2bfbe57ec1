// Checks that the Worker can be built and started with the definitions, before the registry refers to them: if wrangler's bundle
// fails, the server answers no request. The check bundles as wrangler does, except for zod (bundled-zod.ts), and loads
// the bundle in workerd.

import { mkdirSync, realpathSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname, relative } from "node:path";

import type { Message } from "esbuild";

import { reportBundleError } from "./bundle-error.ts";
import type { Findings } from "./findings.ts";
import { importPosition } from "./import-position.ts";
import { bundleForWorkers, mappedSource, type BundlePaths } from "./module-bundle.ts";
import type { SourcePosition, SyntaxTrees } from "./syntax-tree.ts";
import { rememberChecked, wasChecked } from "./worker-memory.ts";
import { runInWorkerd, workerdEntry, type WorkerdOutcome } from "./workerd-run.ts";
import { readWranglerSettings } from "./wrangler-settings.ts";

interface Report {
  findings: Findings;
  trees: SyntaxTrees;
}

/** The result of a check, which is not reported yet. */
export type WorkerCheck =
  | { type: "fine" }
  | { type: "failed"; errors: Message[] }
  | {
      type: "loaded";
      outcome: WorkerdOutcome;
      /** Undefined if no position is reported, or if a source was changed since it was bundled. */
      sourceMap: string | undefined;
      importers: ReadonlyMap<string, string>;
    };

/**
 * The module from which a project reads its environment variables. This check has no variables, so definitions of such a project may fail
 * here and nowhere else.
 */
const runtimeModule = "cloudflare:workers";

/** Bundles these files for Workers and loads them there. */
export async function checkForWorkers(files: readonly string[], paths: BundlePaths): Promise<WorkerCheck> {
  const settings = readWranglerSettings(paths.root);
  const project = { files, paths, settings };
  if (wasChecked(project)) return { type: "fine" };
  const importers = new Map<string, string>();
  const bundled = await bundleForWorkers(files, paths, {
    settings,
    entry: workerdEntry,
    onRuntimeModule: (specifier, importer) => {
      if (!importers.has(specifier)) importers.set(specifier, importer);
    },
  });
  if (bundled.type === "failed") return bundled;
  const folder = dirname(paths.outputFile);
  mkdirSync(folder, { recursive: true });
  const outcome = await runInWorkerd(bundled, {
    settings,
    folders: [paths.root, paths.packageRoot],
    work: folder,
  });
  if (outcome.type === "started" && outcome.thrown.length === 0) rememberChecked(project, bundled.inputs);
  const isNeeded = hasPosition(outcome, importers);
  return { type: "loaded", outcome, sourceMap: isNeeded ? await bundled.makeSourceMap() : undefined, importers };
}

/** Whether a position of the outcome is reported. */
function hasPosition(outcome: WorkerdOutcome, importers: ReadonlyMap<string, string>): boolean {
  if (outcome.type === "refused") return outcome.at !== undefined;
  return outcome.type === "started" && outcome.thrown.length > 0 && !importers.has(runtimeModule);
}

interface CheckContext extends Report {
  paths: BundlePaths;
  /** Files that Node loaded. The others are reported already. */
  loaded: readonly string[];
}

/** Reports the errors that prevent the files from being bundled for a Worker or loaded there. */
export function reportForWorkers(check: WorkerCheck, { paths, loaded, ...report }: CheckContext): void {
  if (check.type === "fine") return;
  if (check.type === "failed") {
    for (const error of check.errors) reportBundleError(error, report);
    return;
  }
  const { outcome, sourceMap, importers } = check;
  if (outcome.type === "refused") reportRefusal(outcome, { ...report, paths, sourceMap, importers });
  if (outcome.type !== "started" || importers.has(runtimeModule)) return;
  for (const { file, stack } of outcome.thrown) {
    if (!loaded.includes(file)) continue;
    const at = stackPositions(stack, sourceMap, paths)[0];
    report.findings.warning({
      code: "evaluation",
      file: at?.file ?? file,
      position: at && positionAt(at, report.trees),
      message: `${stack.split("\n")[0] ?? "It threw"}, while the module was loaded in the Workers runtime`,
    });
  }
}

interface RefusalContext extends Report {
  paths: BundlePaths;
  sourceMap: string | undefined;
  /** For each module that the runtime has to provide, a file that imports it. */
  importers: ReadonlyMap<string, string>;
}

function reportRefusal(
  { message, at }: Extract<WorkerdOutcome, { type: "refused" }>,
  { findings, trees, paths, sourceMap, importers }: RefusalContext,
): void {
  const missing = /No such module "([^"]+)"/.exec(message)?.[1];
  const named = /module '([^']+)' does not provide an export named '([^']+)'/.exec(message);
  const found = at && originalPosition(at, sourceMap, paths);
  const specifier = missing ?? named?.[1];
  const importer = specifier === undefined ? undefined : importers.get(specifier);
  const file = found?.file ?? (importer === undefined ? "agents" : pathFromRoot(importer, paths.root));
  const position = found
    ? pointAtName(positionAt(found, trees), named?.[2])
    : specifier === undefined
      ? undefined
      : importPosition(file, specifier, paths.root);
  findings.error({
    code: "import",
    file,
    position,
    message:
      missing !== undefined
        ? `the Workers runtime has no module "${missing}"`
        : named
          ? `"${named[1]}" of the Workers runtime has no export "${named[2]}"`
          : `the Worker does not start: ${message}`,
  });
}

interface FilePosition {
  file: string;
  line: number;
  column: number;
}

function positionAt({ file, line, column }: FilePosition, trees: SyntaxTrees): SourcePosition {
  return { line, column, source: trees.lineText(file, line) ?? "" };
}

/** The position of a name in an import statement. The bundle's source map leads only to the statement. */
function pointAtName(position: SourcePosition, name: string | undefined): SourcePosition {
  const at = name === undefined ? -1 : position.source.indexOf(name);
  return at === -1 ? position : { ...position, column: at + 1 };
}

function originalPosition(
  { line, column }: { line: number; column: number },
  sourceMap: string | undefined,
  paths: BundlePaths,
): FilePosition | undefined {
  if (sourceMap === undefined) return undefined;
  const entry = new SourceMap(JSON.parse(sourceMap) as SourceMapPayload).findEntry(line - 1, column - 1);
  if (!("originalSource" in entry) || !entry.originalSource) return undefined;
  const file = mappedSource(entry.originalSource, paths);
  return { file, line: entry.originalLine + 1, column: entry.originalColumn + 1 };
}

/** The frames of a stack that are in the project's own sources. */
function stackPositions(stack: string, sourceMap: string | undefined, paths: BundlePaths): FilePosition[] {
  return [...stack.matchAll(/main\.mjs:(\d+):(\d+)/g)]
    .flatMap(
      ([, line, column]) => originalPosition({ line: Number(line), column: Number(column) }, sourceMap, paths) ?? [],
    )
    .filter(({ file }) => !file.startsWith("..") && !file.includes("node_modules/") && file !== "definitions.js");
}

/** esbuild names importers by their real paths. */
function pathFromRoot(path: string, root: string): string {
  return relative(realpathSync(root), path).replaceAll("\\", "/");
}
