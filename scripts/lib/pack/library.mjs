// Builds the JavaScript of the package: one module for each entry, and chunks that the entries share, so that a class or a table exists
// once whichever entries a program imports. Packages stay imports. SQL is part of the modules.

import { build } from "esbuild";

import { fromRoot, root } from "../paths.mjs";

/**
 * @param {Record<string, string>} entries source files by output name, without extension
 * @param {string} folder
 * @returns {Promise<string[]>} the packages that the modules import
 */
export async function buildLibrary(entries, folder) {
  const { metafile } = await build({
    metafile: true,
    absWorkingDir: root,
    entryPoints: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, fromRoot(file)])),
    outdir: folder,
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    jsx: "automatic",
    packages: "external",
    external: ["cloudflare:*", "node:*"],
    loader: { ".sql": "text" },
    sourcemap: "linked",
    legalComments: "none",
    logLevel: "warning",
  });
  return packagesOf(metafile);
}

/**
 * Builds the command line of the package. What a command imports when it runs is a module of its own.
 *
 * @param {string} folder
 * @returns {Promise<string[]>} the packages that it imports
 */
export async function buildProgram(folder) {
  const { metafile } = await build({
    metafile: true,
    absWorkingDir: root,
    entryPoints: { threadhold: fromRoot("src/cli/bin.ts") },
    outdir: folder,
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    sourcemap: "linked",
    legalComments: "none",
    logLevel: "warning",
  });
  return packagesOf(metafile);
}

/** The names of the packages that stay imports. */
function packagesOf({ outputs }) {
  const paths = Object.values(outputs).flatMap(({ imports }) =>
    imports.filter((each) => each.external).map(({ path }) => path),
  );
  const names = paths
    .filter((path) => !/^(?:node|cloudflare):/.test(path))
    .map((path) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path);
  return [...new Set(names)];
}
