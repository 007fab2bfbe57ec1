// Compiles agents/ into .threadhold/ for a script that needs the registries.

import { existsSync } from "node:fs";

import { fromRoot } from "./paths.mjs";
import { runNode } from "./run-command.mjs";

/** @returns {Promise<number>} the compiler's exit code; its own messages have been printed */
export async function compileAgents() {
  return (await runNode("scripts/threadhold.mjs", ["build"])).code;
}

export const agentsCompiled = () => existsSync(fromRoot(".threadhold"));
