#!/usr/bin/env node
// The command line `threadhold` of this repository, run from its sources: node scripts/threadhold.mjs --help.

import { existsSync } from "node:fs";

import { ensureInstall } from "./ensure-install.mjs";
import { fromRoot } from "./lib/paths.mjs";

const argv = process.argv.slice(2);
// Without packages, npx runs a downloaded wrangler, whose runtime is older than the project's compatibility date.
if (argv.includes("--auto") && !existsSync(fromRoot("node_modules"))) {
  await ensureInstall();
  process.stderr.write(
    "The packages were missing and are installed now. Run the same command again: it then uses the project's own wrangler and runtime.\n",
    () => process.exit(2),
  );
} else {
  const { runCli } = await import("./lib/cli-bundle.mjs");
  await runCli(argv);
}
