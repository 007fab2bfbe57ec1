// Mends what can be mended without thought: lint fixes first, then formatting, which may have to follow them.

import { existsSync } from "node:fs";

import { ensureInstall } from "./ensure-install.mjs";
import { fromRoot } from "./lib/paths.mjs";
import { runNode } from "./lib/run-command.mjs";
import { lintedPaths, tools } from "./lib/tools.mjs";

await ensureInstall();
const present = lintedPaths.filter((path) => existsSync(fromRoot(path)));
const lint = await runNode(tools.oxlint, ["--type-aware", "--fix", ...present]);
const format = await runNode(tools.oxfmt, ["--write", "."]);
process.exit(lint.code === 0 ? format.code : lint.code);
