// The compiler's command: runs one build, prints its findings, writes its output to `.threadhold/` and returns the exit code.

import { resolve } from "node:path";

import type { Diagnostic } from "#spec/diagnostic.ts";

import { checkOnceAtATime } from "./background-check.ts";
import { writeFailedBuild, writeGoodBuild } from "./build-output.ts";
import { readCommandLine } from "./command-line.ts";
import { compileProject } from "./compile.ts";
import { formatDiagnostics } from "./diagnostic-report.ts";
import { sortDiagnostics } from "./findings.ts";
import { projectInputs } from "./module-bundle.ts";
import { checkTypes, storedTypeFindings, prepareTypeFindings, withTypeFindings } from "./type-check.ts";

export { compileProject };

/** The inputs of the command. */
export interface CommandContext {
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** The installed package that this compiler belongs to. */
  packageRoot: string;
  print: (text: string) => void;
  /** Whether the output shows colours. */
  colours: boolean;
  /** Starts this command with `--types-only` for a project and does not wait for it. */
  checkTypesLater: (root: string) => void;
  /** Is called after a build without a finding, with the files in its bundle. */
  buildWithoutFinding: (root: string, inputs: readonly string[]) => void;
}

/** Runs the command and returns its exit code. */
export async function runCompiler(context: CommandContext): Promise<number> {
  const options = readCommandLine(context.argv, context.env, context.cwd);
  const root = resolve(context.cwd, options.root);
  if (options.types === "only") {
    await checkOnceAtATime(root, () => checkTypes(root, context.packageRoot));
    return 0;
  }
  prepareTypeFindings(root);
  const started = performance.now();
  const { diagnostics: built, project, files, bundle, inputs } = await compileProject(root, context.packageRoot);
  const failed = built.some(({ severity }) => severity === "error");
  const dev = options.mode === "dev";
  const diagnostics = (types: readonly Diagnostic[]): Diagnostic[] => sortDiagnostics(withTypeFindings(built, types));
  let changed = false;
  let found = diagnostics(dev ? storedTypeFindings(root) : []);
  if (failed) writeFailedBuild(root, found, dev);
  else
    changed = writeGoodBuild({
      root,
      project,
      bundle,
      sources: projectInputs(inputs, root),
      findings: dev ? found : [],
    });
  if (built.length === 0) context.buildWithoutFinding(root, inputs);
  const milliseconds = Math.round(performance.now() - started);
  // The check follows the build, because TypeScript reads the names that the build writes.
  if (options.types === "now") found = diagnostics(await checkTypes(root, context.packageRoot));
  if (options.json) context.print(JSON.stringify({ ok: !failed, changed, files, milliseconds, diagnostics: found }));
  else {
    const report = formatDiagnostics(found, context.colours);
    if (report !== "") context.print(report);
    if (!failed) context.print(`compiled ${files} definitions in ${milliseconds} ms`);
    else if (dev) context.print("the last good build keeps being served");
  }
  if (dev && context.env.TYPE_CHECK !== "off") context.checkTypesLater(root);
  return failed && !dev ? 1 : 0;
}
