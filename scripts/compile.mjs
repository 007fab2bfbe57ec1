// Runs the compiler of agents/.
//
//   node scripts/compile.mjs [--dev | --auto] [--json] [--root DIR]
//
// Without a mode it fails on errors. --dev reports them and exits 0, leaving the last good output in place. --auto is
// for wrangler's [build] step: strict when wrangler says by WRANGLER_COMMAND that it deploys, else as --dev.

import { loadCompiler, packageRoot } from "./lib/compiler-bundle.mjs";

try {
  const { runCompiler } = await loadCompiler();
  const code = await runCompiler({
    argv: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    packageRoot,
    print: (text) => process.stdout.write(`${text}\n`),
    colours: process.stdout.isTTY === true && !process.env.NO_COLOR,
  });
  // A definition may have left a timer or a socket open; the build does not wait for it.
  process.stdout.write("", () => process.exit(code));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.stderr.write("", () => process.exit(2));
}
