// Builds the JavaScript of the package: one module for each entry, and chunks that the entries share, so that a class or a table exists
// once whichever entries a program imports. Packages stay imports. SQL is part of the modules.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

import { build } from "esbuild";

import { fromRoot, root } from "../paths.mjs";
import { licenseTexts } from "./licenses.mjs";

/** The shell of `threadhold/tools/bash`. Its code is part of the package: as a dependency it would install 60 MB that a Worker cannot run. */
const shell = "just-bash/browser";

/** The packages whose code is in the module of the shell. */
const packagesOfShell = [
  "diff",
  "fast-xml-parser",
  "file-type",
  "ini",
  "minimatch",
  "modern-tar",
  "papaparse",
  "re2js",
  "seek-bzip",
  "smol-toml",
  "sprintf-js",
  "turndown",
  "yaml",
];

/**
 * Bundles the shell to one module.
 *
 * @param {string} file the module
 * @returns {Promise<string>} the licences of the packages in the module
 */
export async function bundleShell(file) {
  const { metafile } = await build({
    metafile: true,
    absWorkingDir: root,
    entryPoints: [shell],
    outfile: file,
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    external: ["node:*"],
    legalComments: "none",
    banner: { js: "// just-bash. See THIRD-PARTY-LICENSES.txt." },
    logLevel: "warning",
  });
  const home = fromRoot("node_modules/just-bash");
  const { dependencies } = JSON.parse(readFileSync(path.join(home, "package.json"), "utf8"));
  const unknown = Object.keys(dependencies).filter((name) => ![...packagesOfShell, ...absent].includes(name));
  if (unknown.length > 0)
    throw new Error(`just-bash has new packages: ${unknown.join(", ")}. Name them in library.mjs.`);
  const inShell = packagesOfShell.map((name) => path.join(folderOf(home, name), "package.json"));
  return licenseTexts([...Object.keys(metafile.inputs).map(fromRoot), ...inShell]);
}

/** Dependencies of the shell whose code is not in its module: other languages, a database, and another `fetch`. */
const absent = ["quickjs-emscripten", "sql.js", "undici"];

function folderOf(home, name) {
  const own = path.join(home, "node_modules", name);
  return existsSync(own) ? own : fromRoot(`node_modules/${name}`);
}

/**
 * @param {Record<string, string>} entries source files by output name, without extension
 * @param {string} folder
 * @param {{ resolve?: (on: import("esbuild").PluginBuild) => void, sourcemap?: "linked" | false }} [options] `resolve` names the modules that
 * come from elsewhere
 * @returns {Promise<string[]>} the packages that the modules import
 */
export async function buildLibrary(entries, folder, { resolve = () => {}, sourcemap = "linked" } = {}) {
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
    plugins: [{ name: "modules of other packages", setup: resolve }],
    loader: { ".sql": "text" },
    sourcemap,
    legalComments: "none",
    logLevel: "warning",
  });
  return packagesOf(metafile);
}

/**
 * Builds modules for Node. What a command imports when it runs is a module of its own.
 *
 * @param {Record<string, string>} entries source files by output name, without extension
 * @param {string} folder
 * @returns {Promise<string[]>} the packages that the modules import
 */
export async function buildProgram(entries, folder) {
  const { metafile } = await build({
    metafile: true,
    absWorkingDir: root,
    entryPoints: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, fromRoot(file)])),
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
