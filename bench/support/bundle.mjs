// Bundles modules of `src` for Node and imports the bundle, as a program imports the package.

import { mkdirSync } from "node:fs";
import { pathToFileURL } from "node:url";

import { build } from "esbuild";

import { fromRoot } from "../../scripts/lib/paths.mjs";

/**
 * Imports what `contents` exports, whose paths begin at the repository. Packages stay imports, so the bundle is in the folder
 * `.cache/bench-<name>`, which is returned with the module and which the caller removes.
 */
export async function importBundle(name, contents) {
  const folder = fromRoot(`.cache/bench-${name}`);
  mkdirSync(folder, { recursive: true });
  const outfile = `${folder}/${name}.mjs`;
  await build({
    stdin: { contents, resolveDir: fromRoot(".") },
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "error",
    outfile,
  });
  return { folder, module: await import(pathToFileURL(outfile).href) };
}
