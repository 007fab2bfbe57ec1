// Applies automatic fixes: lint fixes first, then formatting, which the fixes may require, then the API reference, which shows the
// formatted sources.

import { existsSync } from "node:fs";

import { ensureInstall } from "./ensure-install.mjs";
import { fromRoot } from "./lib/paths.mjs";
import { runNode } from "./lib/run-command.mjs";
import { lintedPaths, tools } from "./lib/tools.mjs";

await ensureInstall();
const present = lintedPaths.filter((path) => existsSync(fromRoot(path)));
const lint = await runNode(tools.oxlint, ["--type-aware", "--fix", ...present]);
const format = await runNode(tools.oxfmt, ["--write", "."]);
const docs = await runNode("scripts/docs.mjs", []);
process.exit(lint.code || format.code || docs.code);
