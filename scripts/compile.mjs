// Runs the compiler of agents/.
//
//   node scripts/compile.mjs [--dev | --auto] [--types | --types-only] [--json] [--root DIR]
//
// A build without --types and --json does nothing if the last build had no finding and everything that it read and wrote is unchanged.
// Without a mode it fails on errors. --dev reports them and exits 0, leaving the last good output in place. --auto is
// for wrangler's [build] step: strict when wrangler says by WRANGLER_COMMAND that it deploys, else as --dev.
// --types checks the types of agents/ too. A development build has them checked by another process (--types-only) and shows
// what it found with the next build, which follows when the findings change; TYPE_CHECK=off leaves that out.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { ensureInstall } from "./ensure-install.mjs";
import { fromRoot } from "./lib/paths.mjs";

class MissingPackages extends Error {
  constructor() {
    super(
      "The packages were missing and are installed now. Run the same command again: it then uses the project's own wrangler and runtime.",
    );
    this.stack = this.message;
  }
}

/** The folder that contains agents/, if the command line permits to leave out a build that would change nothing. */
function quickRoot() {
  const flags = process.argv.slice(2);
  const at = flags.indexOf("--root");
  const [, root = "."] = at === -1 ? [] : flags.splice(at, 2);
  return flags.every((flag) => flag === "--dev" || flag === "--auto") ? path.resolve(root) : null;
}

/** Starts a check of types in the same process group, without this one's output: who waits for a build waits until that is closed. */
function checkTypesLater(root) {
  const script = fileURLToPath(import.meta.url);
  const child = spawn(process.execPath, [script, "--types-only", "--root", root], { stdio: "ignore" });
  child.on("error", (error) => process.stderr.write(`The types of agents/ were not checked: ${error.message}\n`));
  child.unref();
}

/** Compiles; returns the exit code. */
async function compile() {
  const startedAt = Date.now();
  const { compilerPath, loadCompiler, packageRoot } = await import("./lib/compiler-bundle.mjs");
  const { isBuildUnchanged, recordBuild } = await import("./lib/unchanged-build.mjs");
  const compiler = compilerPath();
  const root = quickRoot();
  if (root !== null && isBuildUnchanged(root, compiler)) {
    console.log("The definitions have not changed since they were compiled.");
    const dev = process.argv.includes("--dev") || process.env.WRANGLER_COMMAND === "dev";
    if (dev && process.env.TYPE_CHECK !== "off") checkTypesLater(root);
    return 0;
  }
  const { runCompiler } = await loadCompiler(compiler);
  return runCompiler({
    argv: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    packageRoot,
    print: (text) => process.stdout.write(`${text}\n`),
    checkTypesLater,
    buildWithoutFinding: (built, inputs) => recordBuild(built, { compiler, imports: inputs, startedAt }),
    colours: process.stdout.isTTY === true && !process.env.NO_COLOR,
  });
}

try {
  // Without packages, npx runs a downloaded wrangler, whose runtime is older than the project's compatibility date.
  if (process.argv.includes("--auto") && !existsSync(fromRoot("node_modules"))) {
    await ensureInstall();
    throw new MissingPackages();
  }
  const code = await compile();
  // A definition may have left a timer or a socket open; the build does not wait for it.
  process.stdout.write("", () => process.exit(code));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.stderr.write("", () => process.exit(2));
}
