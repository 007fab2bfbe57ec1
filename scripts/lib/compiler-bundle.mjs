// Makes the compiler a module that Node can run. It is TypeScript, which Node 20 cannot load, so it is bundled into .cache/ under a name
// with a hash of its sources, and bundled again only if they change.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The folder of the package this script is part of. */
export const packageRoot = fileURLToPath(new URL("../..", import.meta.url)).replace(/[\\/]$/, "");
const cache = join(packageRoot, ".cache");

/** The path of the compiler's bundle, which changes with the compiler's sources. */
export function compilerPath() {
  const hash = createHash("sha256");
  for (const layer of ["compiler", "spec", "lib", "models", "core", "contract", "dialect"]) {
    const folder = join(packageRoot, "src", layer);
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted()) {
      if (name.endsWith(".ts")) hash.update(name).update(readFileSync(join(folder, name)));
    }
  }
  return join(cache, `compiler-${hash.digest("hex").slice(0, 16)}.mjs`);
}

async function bundleCompiler(path) {
  const { build } = await import("esbuild");
  mkdirSync(cache, { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  await build({
    entryPoints: [join(packageRoot, "src/compiler/main.ts")],
    absWorkingDir: packageRoot,
    outfile: temporary,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    // The packages of providers are imported when a model is called, which the compiler never does.
    external: ["zod", "esbuild", "oxc-parser", "@ai-sdk/*", "@openrouter/*"],
    logLevel: "error",
  });
  for (const name of readdirSync(cache)) {
    // Newer bundles are kept, since another process may be about to load one.
    const old = /^compiler-[0-9a-f]{16}\.mjs$/.test(name) && Date.now() - statSync(join(cache, name)).mtimeMs > 600_000;
    if (old) rmSync(join(cache, name), { force: true });
  }
  renameSync(temporary, path);
}

/** Loads the compiler, bundling it first if its sources have changed. */
export async function loadCompiler(path = compilerPath()) {
  if (!existsSync(path)) await bundleCompiler(path);
  return import(pathToFileURL(path).href);
}
