// Runs an example: node examples/run.mjs session/in-process [arguments]. It is bundled first, since Node 20 reads no TypeScript.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { build } from "esbuild";

const [name = "", ...others] = process.argv.slice(2);
const folder = mkdtempSync(path.join(tmpdir(), "threadhold-example-"));
const outfile = path.join(folder, "example.mjs");
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
await build({
  entryPoints: [fileURLToPath(new URL(`${name}.ts`, import.meta.url))],
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  outfile,
  // Packages that are no ES modules require the modules of Node.
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  logLevel: "warning",
});
process.argv.splice(2, Infinity, ...others);
await import(pathToFileURL(outfile).href);
