// `threadhold build` and `threadhold check`: compile `agents/`. One build of a folder runs at a time. The compiler is loaded when the build
// may run, because processes that wait or end without a build have to be small.

import { spawn } from "node:child_process";
import { existsSync, utimesSync } from "node:fs";
import { join } from "node:path";

import type { Command } from "commander";

import type { BuildRequest } from "#compiler/run-compiler.ts";
import { typeFindingsFile } from "#compiler/unchanged-build.ts";

import { buildAfterOthers, buildUnlessReplaced } from "./build-turn.ts";
import { CommandError, projectFolder, type CliContext, type ExitCode } from "./context.ts";
import { formatFinding } from "./doctor/finding.ts";
import { findWrangler } from "./doctor/wrangler-package.ts";
import { doRequested } from "./one-at-a-time.ts";
import { copyPlayground } from "./playground/copy-playground.ts";

interface BuildOptions {
  root: string;
  /** A folder of static assets that another wrangler file than the project's own names, absolute. */
  assets?: string | undefined;
  dev?: boolean;
  auto?: boolean;
  types?: boolean;
  typesOnly?: boolean;
  json?: boolean;
}

/** Commands of wrangler whose builds go to production. Wrangler sets WRANGLER_COMMAND for its `[build]` step. */
const publishing = new Set(["deploy", "versions upload"]);

export function addBuildCommands(program: Command, context: CliContext, end: (code: ExitCode) => void): void {
  program
    .command("build")
    .description("Compile agents/ into .threadhold/. Errors end the command with exit code 1.")
    .option("--root <folder>", "the folder that contains agents/", ".")
    .option("--dev", "print errors, keep the last good output and exit with 0")
    .option("--auto", "for the [build] step of wrangler: strict during a deploy, else like --dev")
    .option("--types", "check the types too; type errors are warnings")
    .option("--types-only", "check the types, store the findings for the next build and write nothing else")
    .option("--json", "print the result as one line of JSON")
    .action(async (options: BuildOptions) => end(await buildProject(options, context)));
  program
    .command("check")
    .description("Compile agents/ and check its types. Errors and type errors end the command with exit code 1.")
    .option("--root <folder>", "the folder that contains agents/", ".")
    .option("--json", "print the result as one line of JSON")
    .action(async (options: { root: string; json?: boolean }) => end(await check(options, context)));
}

/** Compiles a project, as `threadhold build` does. */
export async function buildProject(options: BuildOptions, context: CliContext): Promise<ExitCode> {
  const command = context.env.WRANGLER_COMMAND ?? "";
  const compiler = compilerContext(options, context);
  const { root } = compiler;
  if (options.typesOnly === true) {
    await checkRequestedTypes(root, context);
    return 0;
  }
  const automatic = options.auto === true && !publishing.has(command);
  const mode = options.dev === true || automatic ? "dev" : "strict";
  const types = options.types === true ? "now" : "last";
  // Wrangler starts a build for each changed file only in its command `dev`. With `--json` each build prints a result.
  const isReplaceable = automatic && command === "dev" && options.json !== true;
  const before = (): void =>
    copyPages(
      // A local server builds at each change, and a build of the page empties the folder each time.
      { root, assets: options.assets, isStrict: mode === "strict", isQuiet: options.json === true || isReplaceable },
      context,
    );
  if (!isReplaceable) return runBuild({ ...compiler, mode, types }, context, before);
  const code = await buildUnlessReplaced(root, {
    build: async (isReplaced) => {
      before();
      return (await loadCompiler())({ ...compiler, mode, types, isReplaced });
    },
    onLast: () => restartWranglerBuild(root),
    onLongWait: (pid) =>
      context.printError(
        `The build with the pid ${String(pid)} has not ended, so the newest files are not compiled. ` +
          "If a definition computes without an end when it is loaded, correct it and end that process.",
      ),
  });
  return code ?? 0;
}

/** Runs the compiler after the other builds of the folder, and prints that it waits. `before` runs when the build may run. */
export function runBuild(
  request: BuildRequest,
  { printError }: Pick<CliContext, "printError">,
  before: () => void = () => undefined,
): Promise<0 | 1> {
  return buildAfterOthers(
    request.root,
    async () => {
      before();
      return (await loadCompiler())(request);
    },
    (pid) =>
      printError(`Another build of ${request.root} runs (pid ${String(pid)}). This one starts when it has ended.`),
  );
}

interface PagesRequest {
  root: string;
  assets: string | undefined;
  isStrict: boolean;
  /** Whether a copy that succeeds prints no line. */
  isQuiet: boolean;
}

/** Copies the playground into the project's static assets. An error ends a strict build; a server continues without the copy. */
function copyPages(
  { root, assets, isStrict, isQuiet }: PagesRequest,
  { packageRoot, print, printError }: CliContext,
): void {
  try {
    for (const folder of copyPlayground({ root, packageRoot, assets })) {
      if (!isQuiet) print(`The playground in ${folder} is up to date.`);
    }
  } catch (error) {
    if (isStrict || !(error instanceof CommandError)) throw error;
    printError(error.message);
  }
}

const loadCompiler = async () => (await import("#compiler/run-compiler.ts")).runCompiler;

/** Checks the types, or leaves that to the process that checks them now. */
async function checkRequestedTypes(root: string, { packageRoot }: CliContext): Promise<void> {
  await doRequested(join(root, ".cache/types/requested"), async () => {
    const { checkTypes } = await import("#compiler/type-check.ts");
    await checkTypes(root, packageRoot);
  });
}

/** Makes wrangler build and bundle again: it watches the file of the findings. */
function restartWranglerBuild(root: string): void {
  const now = new Date();
  utimesSync(join(root, typeFindingsFile), now, now);
}

/** Throws a `CommandError` for a folder without `agents/`: the command probably runs in the wrong folder. */
export function assertDefinitions(root: string): void {
  if (existsSync(join(root, "agents"))) return;
  throw new CommandError(
    `There is no folder agents/ in ${root}; give --root, or run npx threadhold new agent assistant.`,
  );
}

function check(options: { root: string; json?: boolean }, context: CliContext): Promise<ExitCode> {
  const compiler = compilerContext(options, context);
  assertDefinitions(compiler.root);
  const wrangler = findWrangler(compiler.root);
  if (!("program" in wrangler) && !("program" in findWrangler(context.packageRoot))) {
    context.printError(`The definitions are not loaded in the Workers runtime.\n${formatFinding(wrangler)}`);
  }
  return runBuild({ ...compiler, mode: "strict", types: "strict" }, context);
}

function compilerContext({ root, json = false }: { root: string; json?: boolean }, context: CliContext) {
  const { packageRoot, version, print, printError, colours, env, self } = context;
  return {
    root: projectFolder(context, root),
    json,
    packageRoot,
    version,
    print,
    colours,
    checkTypesLater: (folder: string) => {
      if (env.TYPE_CHECK === "off") return;
      const [program, ...args] = self;
      // The child does not inherit the output of this process, because a caller of a build waits until the output is closed.
      const child = spawn(program, [...args, "build", "--types-only", "--root", folder], { stdio: "ignore" });
      child.on("error", (error) => printError(`The types of agents/ were not checked: ${error.message}`));
      child.unref();
    },
  };
}
