// The compiler's command: one build, its findings on the terminal, its output in `.threadhold/`, its exit code.

import { resolve } from "node:path";

import { writeFailedBuild, writeGoodBuild } from "./build-output.ts";
import { readCommandLine } from "./command-line.ts";
import { compileProject } from "./compile.ts";
import { formatDiagnostics } from "./diagnostic-report.ts";

export { compileProject };

/** What the command is run with. */
export interface CommandContext {
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** The package this compiler is part of. */
  packageRoot: string;
  print: (text: string) => void;
  /** Whether what `print` writes to shows colours. */
  colours: boolean;
}

/** Runs the command; gives its exit code. */
export async function runCompiler(context: CommandContext): Promise<number> {
  const options = readCommandLine(context.argv, context.env, context.cwd);
  const root = resolve(context.cwd, options.root);
  const started = performance.now();
  const { diagnostics, project, files, bundle, sources } = await compileProject(root, context.packageRoot);
  const failed = diagnostics.some(({ severity }) => severity === "error");
  const dev = options.mode === "dev";
  let changed = false;
  if (failed) writeFailedBuild(root, diagnostics, dev);
  else changed = writeGoodBuild({ root, project, bundle, sources });
  const milliseconds = Math.round(performance.now() - started);
  if (options.json) context.print(JSON.stringify({ ok: !failed, changed, files, milliseconds, diagnostics }));
  else {
    const report = formatDiagnostics(diagnostics, context.colours);
    if (report !== "") context.print(report);
    if (!failed) context.print(`compiled ${files} definitions in ${milliseconds} ms`);
    else if (dev) context.print("the last good build keeps being served");
  }
  return failed && !dev ? 1 : 0;
}
