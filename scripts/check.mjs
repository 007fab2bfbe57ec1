// The one gate: format, lint with types, types, unused code, rules, words, API reference. Every step runs, also after a failure, so that
// one run shows all problems.

import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";

import { ensureInstall } from "./ensure-install.mjs";
import { agentsCompiled, compileAgents } from "./lib/compile-agents.mjs";
import { fromRoot } from "./lib/paths.mjs";
import { runNode } from "./lib/run-command.mjs";
import { runSteps } from "./lib/steps.mjs";
import { compilerEnvironment, lintedPaths, quickTypescript, tools } from "./lib/tools.mjs";

await ensureInstall();
// Type checker and linter read the generated registries, so these have to exist.
if (!agentsCompiled() && (await compileAgents()) !== 0) process.exit(1);

const step = (name, script, args, env = {}) => ({
  name,
  run: () => runNode(script, args, { quiet: true, env: { ...compilerEnvironment, ...env } }),
});
/**
 * The linter has a type checker for each processor, and each of them finds the same types of the libraries. With up to four processors the
 * other steps keep all of them busy, so one checker is enough.
 */
const oneChecker = availableParallelism() <= 4 ? { GOMAXPROCS: "1" } : {};
/** Type-checks a project incrementally: results are stored, so that only changed files are checked again. */
const typecheck = (project) => {
  const kept = `.cache/check/${project.replaceAll("/", "-")}.tsbuildinfo`;
  const args = ["-p", project, ...quickTypescript, "--incremental", "--tsBuildInfoFile", fromRoot(kept)];
  return step(`types ${project}`, tools.tsc, args);
};
const present = lintedPaths.filter((path) => existsSync(fromRoot(path)));

const failed = await runSteps([
  step("lint", tools.oxlint, ["--type-aware", "--deny-warnings", ...present], oneChecker),
  step("unused code", tools.knip, ["--no-progress", "--cache", "--cache-location", fromRoot(".cache/knip")]),
  typecheck("tsconfig.worker.json"),
  typecheck("tsconfig.test.json"),
  typecheck("tsconfig.node.json"),
  typecheck("playground/tsconfig.json"),
  typecheck("test/ui/tsconfig.json"),
  typecheck("test/browser/tsconfig.json"),
  typecheck("examples/tsconfig.json"),
  typecheck("scripts/tsconfig.json"),
  step("format", tools.oxfmt, ["--check", "."]),
  step("lockfile", "scripts/lockfile.mjs", []),
  step("client size", "scripts/client-size.mjs", []),
  step("playground size", "scripts/ui-size.mjs", []),
  step("rules", "scripts/rules.mjs", []),
  step("words", "scripts/words.mjs", []),
  step("API reference", "scripts/docs.mjs", ["--check"]),
  step("named tests", "scripts/named-tests.mjs", []),
  step("circles", "scripts/circles.mjs", []),
  step("fault points", "scripts/faults.mjs", []),
]);
process.exit(failed === 0 ? 0 : 1);
