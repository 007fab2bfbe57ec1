// Bundles an installation of zod for Workers once. Nearly every definition imports zod, and bundling it takes most of the time of a check
// for Workers, so each check imports this bundle as a module of its own.

import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { join, resolve } from "node:path";

import { build } from "esbuild";
import type { BuildOptions } from "esbuild";

import { readIfExists, writeIfChanged } from "./changed-file.ts";

/** An installation of zod as one module for Workers. */
export interface BundledZod {
  /** The file name of the module, another one for each installation. */
  name: string;
  code: string;
  /** The names that the module exports. */
  exports: string[];
}

interface Stored extends BundledZod {
  /** The absolute paths of the bundled files. */
  inputs: string[];
  /** Changes with each of these files and with the compiler. */
  hash: string;
}

/** The bundles that this process has made or read, by their names. */
const known = new Map<string, Stored>();

/**
 * The bundle of the installation whose main module is `file`. It is kept in memory, and in `folder` for later builds, which are other
 * processes. Returns undefined if the installation cannot be bundled; a bundle that contains it then reports the errors.
 */
export async function bundleZod(
  file: string,
  { folder, options }: { folder: string; options: BuildOptions },
): Promise<BundledZod | undefined> {
  const name = `zod-${createHash("sha256").update(file).digest("hex").slice(0, 12)}.mjs`;
  const path = join(folder, `${name}.json`);
  const found = known.get(name) ?? readStored(path);
  const bundle =
    found !== undefined && found.hash === hashOf(found.inputs, options) ? found : await make(file, name, options);
  if (bundle === undefined) return undefined;
  known.set(name, bundle);
  if (bundle !== found) writeIfChanged(path, JSON.stringify(bundle));
  return bundle;
}

async function make(file: string, name: string, options: BuildOptions): Promise<Stored | undefined> {
  try {
    const { metafile, outputFiles } = await build({
      ...options,
      entryPoints: [file],
      outfile: name,
      write: false,
      metafile: true,
      bundle: true,
      format: "esm",
      logLevel: "silent",
      keepNames: true,
    });
    const inputs = Object.keys(metafile.inputs).map((input) => resolve(input));
    const exports = Object.values(metafile.outputs).flatMap((output) => output.exports);
    return { name, code: outputFiles[0]?.text ?? "", exports, inputs, hash: hashOf(inputs, options) };
  } catch {
    // The errors are those of the bundle that contains these files.
    return undefined;
  }
}

/** A file's time of change, unlike its time of modification, is never one that the archive of a package contains. */
function hashOf(inputs: readonly string[], options: BuildOptions): string {
  // The URL of the compiler's own bundle changes with the compiler's sources.
  const hash = createHash("sha256").update(JSON.stringify([import.meta.url, options]));
  for (const input of inputs) {
    const stat = statSync(input, { throwIfNoEntry: false });
    hash.update(`\0${input}\0${stat?.ctimeMs}\0${stat?.size}`);
  }
  return hash.digest("hex");
}

function readStored(path: string): Stored | undefined {
  try {
    // This module wrote the file, so its form is known.
    return JSON.parse(readIfExists(path)?.toString("utf8") ?? "") as Stored;
  } catch {
    // There is no file, or it is damaged.
    return undefined;
  }
}
