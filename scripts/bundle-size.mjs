// Bundles the Worker as for a deploy, without deploying, and prints its size. Cloudflare's limit applies to the gzip size. Four more figures
// are of a project that uses every source of tools: the bundle, the processor time of its start, the bundle with shortened names
// (`threadhold deploy -- --minify`), and the modules that a Worker loads at its start. The last three have a limit.

import { readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";

import { ensureInstall } from "./ensure-install.mjs";
import { writeEverythingProject } from "./lib/everything-project.mjs";
import { fromRoot } from "./lib/paths.mjs";
import { runNode } from "./lib/run-command.mjs";
import { startTime } from "./lib/start-time.mjs";
import { compileCacheEnvironment, tools, wranglerEnvironment } from "./lib/tools.mjs";

/** Bytes after gzip. */
const limits = { everything: 1280 * 1024, start: 600 * 1024 };

/** Milliseconds of the start of a Worker. Above `failing` this program fails (decision 52: The size of the Worker). */
const startMs = { aim: 200, failing: 400 };

const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;

await ensureInstall();
const { build } = await import("esbuild");
const demo = await bundleSize(fromRoot("."));
console.log(`Worker bundle: ${kib(demo.raw)} raw, ${kib(demo.gzip)} gzip`);

const project = writeEverythingProject();
try {
  const everything = await bundleSize(project);
  console.log(`with every source of tools: ${kib(everything.raw)} raw, ${kib(everything.gzip)} gzip`);
  const started = await startTime(project);
  console.log(`processor time of a start: ${started} ms of ${startMs.aim} ms, and at most ${startMs.failing} ms here`);
  if (started > startMs.failing) process.exitCode = 1;
  const minified = await bundleSize(project, ["--minify"]);
  check("with every source of tools and --minify", minified.gzip, limits.everything);
  check("loaded at the start", await startSize(project), limits.start);
} finally {
  rmSync(project, { recursive: true, force: true });
}

/** Prints a size and its limit. A larger size makes this program fail. */
function check(name, size, limit) {
  console.log(`${name}: ${kib(size)} gzip of ${kib(limit)}`);
  if (size > limit) process.exitCode = 1;
}

/** @param {string[]} options */
async function bundleSize(folder, options = []) {
  const out = path.join(folder, "dist/worker");
  rmSync(out, { recursive: true, force: true });
  const { code, output } = await runNode(tools.wrangler, ["deploy", "--dry-run", "--outdir", out, ...options], {
    quiet: true,
    cwd: folder,
    env: { ...wranglerEnvironment, ...compileCacheEnvironment() },
  });
  if (code !== 0) throw new Error(output);
  let raw = 0;
  let gzip = 0;
  for (const name of readdirSync(out, { recursive: true, encoding: "utf8" })) {
    if (!/\.(js|mjs|wasm|html)$/.test(name)) continue;
    const bytes = readFileSync(path.join(out, name));
    raw += bytes.length;
    gzip += gzipSync(bytes).length;
  }
  return { raw, gzip };
}

/** The size of the main module with all modules that it imports statically. */
async function startSize(folder) {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: ["src/index.ts"],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    alias: { "@standardagents/spec": path.join(folder, "src/spec/index.ts") },
    loader: { ".sql": "text" },
    logLevel: "warning",
    plugins: [
      {
        name: "without dynamic imports",
        setup: (on) =>
          on.onResolve({ filter: /./ }, ({ kind, path: name }) =>
            kind === "dynamic-import" ? { path: name, external: true } : undefined,
          ),
      },
    ],
  });
  return outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0);
}
