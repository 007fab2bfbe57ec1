// Builds the package `create-threadhold`: a program without dependencies at installation, and the templates.

import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

import { build } from "esbuild";

import { fromRoot, root } from "../paths.mjs";
import { licenseTexts } from "./licenses.mjs";
import { manifestOf } from "./manifest.mjs";

const source = fromRoot("packages/create-threadhold");

/**
 * @param {string} folder
 * @param {{ version: string, repository?: unknown }} own the repository's manifest
 */
export async function buildCreatePackage(folder, own) {
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    metafile: true,
    absWorkingDir: root,
    entryPoints: { "create-threadhold": path.join(source, "src/bin.ts") },
    outdir: path.join(folder, "dist"),
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    // Packages that are CommonJS modules call `require` for modules of Node.
    banner: {
      js: 'import { createRequire as createRequireHere } from "node:module"; const require = createRequireHere(import.meta.url);',
    },
    legalComments: "none",
    logLevel: "warning",
  });
  writeFileSync(
    path.join(folder, "THIRD-PARTY-LICENSES.txt"),
    licenseTexts(Object.keys(metafile.inputs).map(fromRoot)),
  );
  cpSync(path.join(source, "templates"), path.join(folder, "templates"), { recursive: true });
  cpSync(path.join(source, "README.md"), path.join(folder, "README.md"));
  cpSync(fromRoot("LICENSE"), path.join(folder, "LICENSE"));
  writeFileSync(
    path.join(folder, "package.json"),
    `${JSON.stringify(manifestOf("create-threadhold", own), null, 2)}\n`,
  );
}
