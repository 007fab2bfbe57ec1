// Builds the package `create-threadhold`: a program without dependencies at installation, and the templates.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { build } from "esbuild";

import { fromRoot, root } from "../paths.mjs";
import { licenseTexts } from "./licenses.mjs";

const source = fromRoot("packages/create-threadhold");

/**
 * @param {string} folder
 * @param {{ version: string, repository?: unknown }} own the repository's manifest
 */
export async function buildCreatePackage(folder, own) {
  mkdirSync(folder, { recursive: true });
  const manifest = JSON.parse(readFileSync(path.join(source, "package.json"), "utf8"));
  if (manifest.version !== own.version) {
    throw new Error(
      `packages/create-threadhold/package.json has version ${manifest.version}, package.json ${own.version}.`,
    );
  }
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
  const { repository = manifest.repository } = own;
  writeFileSync(path.join(folder, "package.json"), `${JSON.stringify({ ...manifest, repository }, null, 2)}\n`);
}
