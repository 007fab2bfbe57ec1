// Bundles the zod of this package for Workers once. Nearly every definition imports zod, and bundling it takes most of the time of a check
// for Workers, so each check imports this bundle as a module of its own. Subpaths such as `zod/v4` stay in the bundle of the definitions.

import { createHash } from "node:crypto";
import { join, resolve } from "node:path";

import { build, version } from "esbuild";
import type { BuildOptions } from "esbuild";

import { changedAt, mayHaveChangedSince, readIfExists, writeIfChanged } from "./changed-file.ts";

/** The zod of the package as one module for Workers. */
export interface BundledZod {
  /** The file name of the module. */
  name: string;
  code: string;
  /** The names that the module exports. */
  exports: string[];
}

interface Stored extends Omit<BundledZod, "name"> {
  /** The absolute paths of the bundled files. */
  inputs: string[];
  /** A hash of what the bundle depends on: the times of change of these files, the compiler, the bundler and its options. */
  hash: string;
}

/** The bundles that this process has made or read, by the paths of their main modules. */
const bundles = new Map<string, Stored>();

/**
 * Returns the bundle of zod, whose main module is `file`. The bundle is kept in memory, and as a file in `folder` for later builds, which are
 * other processes. Returns undefined if zod cannot be bundled.
 */
export async function bundleZod(
  file: string,
  { folder, options }: { folder: string; options: BuildOptions },
): Promise<BundledZod | undefined> {
  const name = `zod-${createHash("sha256").update(file).digest("hex").slice(0, 12)}.mjs`;
  const path = join(folder, `${name}.json`);
  const found = bundles.get(file) ?? readStored(path);
  if (found !== undefined && found.hash === hashOf(found.inputs, options)) {
    bundles.set(file, found);
    return { ...found, name };
  }
  const startedAt = Date.now();
  const bundle = await make(file, options);
  if (bundle === undefined) return undefined;
  // A file that was changed in the meantime may have been read before its change.
  if (!bundle.inputs.some((input) => mayHaveChangedSince(input, startedAt))) {
    bundles.set(file, bundle);
    writeIfChanged(path, JSON.stringify(bundle));
  }
  return { ...bundle, name };
}

async function make(file: string, options: BuildOptions): Promise<Stored | undefined> {
  try {
    const { metafile, outputFiles } = await build({
      ...options,
      entryPoints: [file],
      outfile: "zod.mjs",
      write: false,
      metafile: true,
      bundle: true,
      format: "esm",
      logLevel: "silent",
      keepNames: true,
    });
    const inputs = Object.keys(metafile.inputs).map((input) => resolve(input));
    const exports = Object.values(metafile.outputs).flatMap((output) => output.exports);
    return { code: outputFiles[0]?.text ?? "", exports, inputs, hash: hashOf(inputs, options) };
  } catch {
    // A bundle that contains these files has the same errors, and reports them.
    return undefined;
  }
}

function hashOf(inputs: readonly string[], options: BuildOptions): string {
  // The URL of the compiler's own bundle changes with the compiler's sources.
  const hash = createHash("sha256").update(JSON.stringify([import.meta.url, version, options]));
  for (const input of inputs) hash.update(`\0${input}\0${changedAt(input)}`);
  return hash.digest("hex");
}

function readStored(path: string): Stored | undefined {
  try {
    const { code, exports, inputs, hash } = JSON.parse(readIfExists(path)?.toString("utf8") ?? "") as Partial<Stored>;
    const isWhole = typeof code === "string" && Array.isArray(exports) && Array.isArray(inputs);
    return isWhole && typeof hash === "string" ? { code, exports, inputs, hash } : undefined;
  } catch {
    // There is no file, or it is damaged.
    return undefined;
  }
}
