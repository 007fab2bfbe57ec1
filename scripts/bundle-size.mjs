// Bundles the Worker as for a deploy, without deploying, and prints its size. Cloudflare's limit applies to the gzip size.

import { readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";

import { ensureInstall } from "./ensure-install.mjs";
import { fromRoot } from "./lib/paths.mjs";
import { runNode } from "./lib/run-command.mjs";
import { tools, wranglerEnvironment } from "./lib/tools.mjs";

const folder = fromRoot("dist/worker");

await ensureInstall();
rmSync(folder, { recursive: true, force: true });
const result = await runNode(tools.wrangler, ["deploy", "--dry-run", "--outdir", folder], {
  quiet: true,
  env: wranglerEnvironment,
});
if (result.code !== 0) {
  console.error(result.output);
  process.exit(result.code);
}

const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;
let raw = 0;
let gzip = 0;
for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
  if (!/\.(js|mjs|wasm|html)$/.test(name)) continue;
  const bytes = readFileSync(path.join(folder, name));
  raw += bytes.length;
  gzip += gzipSync(bytes).length;
}
console.log(`Worker bundle: ${kib(raw)} raw, ${kib(gzip)} gzip`);
