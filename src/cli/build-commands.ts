// `threadhold build` and `threadhold check`: compile `agents/`.

import { spawn } from "node:child_process";
import { resolve } from "node:path";

import type { Command } from "commander";

import { runCompiler } from "#compiler/run-compiler.ts";

import type { CliContext, ExitCode } from "./context.ts";

interface BuildOptions {
  root: string;
  dev?: boolean;
  auto?: boolean;
  types?: boolean;
  typesOnly?: boolean;
  json?: boolean;
}

/** Commands of wrangler whose builds go to production. Wrangler sets WRANGLER_COMMAND for its `[build]` step. */
const publishing = new Set(["deploy", "versions upload"]);

/** Adds the commands `build` and `check`. */
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
    .action(async (options: BuildOptions) => end(await build(options, context)));
  program
    .command("check")
    .description("Compile agents/ and check its types. Errors and type errors end the command with exit code 1.")
    .option("--root <folder>", "the folder that contains agents/", ".")
    .option("--json", "print the result as one line of JSON")
    .action(async (options: { root: string; json?: boolean }) => end(await check(options, context)));
}

async function build(options: BuildOptions, context: CliContext): Promise<ExitCode> {
  const automatic = options.auto === true && !publishing.has(context.env.WRANGLER_COMMAND ?? "");
  const { root, ...rest } = compilerContext(options, context);
  return runCompiler({
    ...rest,
    root,
    mode: options.dev === true || automatic ? "dev" : "strict",
    types: options.typesOnly === true ? "only" : options.types === true ? "now" : "last",
  });
}

function check(options: { root: string; json?: boolean }, context: CliContext): Promise<ExitCode> {
  return runCompiler({ ...compilerContext(options, context), mode: "strict", types: "strict" });
}

function compilerContext({ root, json = false }: { root: string; json?: boolean }, context: CliContext) {
  const { cwd, packageRoot, version, print, printError, colours, env, self } = context;
  return {
    root: resolve(cwd, root),
    json,
    packageRoot,
    version,
    print,
    colours,
    checkTypesLater: (folder: string) => {
      if (env.TYPE_CHECK === "off") return;
      const [program, ...args] = self;
      // The child has no output of this process: a caller of a build waits until the output is closed.
      const child = spawn(program, [...args, "build", "--types-only", "--root", folder], { stdio: "ignore" });
      child.on("error", (error) => printError(`The types of agents/ were not checked: ${error.message}`));
      child.unref();
    },
  };
}
