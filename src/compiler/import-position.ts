// Finds the position at which a file imports a module by its name.

import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";

import type { SourcePosition } from "./syntax-tree.ts";

/** The position of the import. The name of a Node module may lack the prefix `node:`. Undefined if no line names the module. */
export function importPosition(file: string, specifier: string, root: string): SourcePosition | undefined {
  const bare = specifier.replace(/^node:/, "");
  const names = builtinModules.includes(bare) ? [specifier, bare] : [specifier];
  const lines = readFileSync(join(root, file), "utf8").split(/\r?\n/);
  for (const [index, source] of lines.entries()) {
    for (const name of names) {
      const column = [`"${name}"`, `'${name}'`].map((text) => source.indexOf(text)).find((at) => at !== -1);
      if (column !== undefined) return { line: index + 1, column: column + 1, source };
    }
  }
  return undefined;
}
