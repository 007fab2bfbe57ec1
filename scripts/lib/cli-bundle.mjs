// Makes the command line of the package a module that Node can run. It is TypeScript, which Node 20 cannot load, so it is bundled into
// .cache/ under a name with a hash of its sources, and bundled again only if they change.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { root as packageRoot } from "./paths.mjs";

const cache = join(packageRoot, ".cache");

/** Changes with the sources of the command line. */
export function cliBuild() {
  const hash = createHash("sha256");
  for (const layer of ["cli", "compiler", "spec", "lib", "models", "core", "contract", "dialect"]) {
    const folder = join(packageRoot, "src", layer);
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted()) {
      if (name.endsWith(".ts")) hash.update(name).update(readFileSync(join(folder, name)));
    }
  }
  return hash.digest("hex").slice(0, 16);
}

/** The modules that the bundle exports: the command line, and those that scripts use too. */
const entries = ["program", "one-at-a-time", "dev/free-port", "dev/pass-lines", "dev/process-group"];

/** Bundles into a folder: what a command imports when it runs is a module of its own. */
async function bundleCli(folder) {
  const { build } = await import("esbuild");
  mkdirSync(cache, { recursive: true });
  const temporary = `${folder}.${process.pid}.tmp`;
  await build({
    entryPoints: entries.map((entry) => join(packageRoot, `src/cli/${entry}.ts`)),
    outbase: join(packageRoot, "src/cli"),
    absWorkingDir: packageRoot,
    outdir: temporary,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    logLevel: "error",
  });
  for (const name of readdirSync(cache)) {
    // Newer bundles are kept, since another process may be about to load one.
    const old = /^cli-[0-9a-f]{16}$/.test(name) && Date.now() - statSync(join(cache, name)).mtimeMs > 600_000;
    if (old) rmSync(join(cache, name), { recursive: true, force: true });
  }
  try {
    renameSync(temporary, folder);
  } catch (error) {
    // Another process has bundled the same in the meantime.
    if (!existsSync(folder)) throw error;
    rmSync(temporary, { recursive: true, force: true });
  }
}

/**
 * Imports a module of the command line.
 *
 * @param {string} entry such as `dev/free-port`
 */
export async function importCli(entry, version = cliBuild()) {
  const folder = join(cache, `cli-${version}`);
  if (!existsSync(folder)) await bundleCli(folder);
  return import(pathToFileURL(join(folder, `${entry}.mjs`)).href);
}

/** Runs a command line of the package in this process and ends the process with its exit code. */
export async function runCli(argv) {
  const version = cliBuild();
  const { runProgram } = await importCli("program", version);
  const self = [process.execPath, fileURLToPath(new URL("../threadhold.mjs", import.meta.url))];
  await runProgram(argv, { packageRoot, version, self });
}
