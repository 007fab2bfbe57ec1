// Bundles the client and the entry for UPP as an application would, checks their sizes, and checks that they contain no package.

import path from "node:path";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";

import { fromRoot } from "./lib/paths.mjs";

const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;

/**
 * The limit of each entry in bytes after gzip. Peer dependencies are not included. Code that two entries share counts in each; code that an
 * entry loads on demand does not count, if `onDemand` is set.
 */
const entries = [
  { name: "threadhold/client", file: "src/client/index.ts", limit: 15 * 1024 },
  { name: "threadhold/react", file: "src/react/index.ts", limit: 3 * 1024 },
  { name: "threadhold/react/ai-sdk", file: "src/react/ai-sdk/index.ts", limit: 4 * 1024 },
  { name: "threadhold/react/assistant-ui", file: "src/react/assistant-ui/index.ts", limit: 5 * 1024 },
  { name: "threadhold/upp", file: "src/facade/upp/index.ts", packages: ["zod", "uuid"], limit: 40 * 1024 },
  { name: "threadhold/upp/http", file: "src/facade/upp/connection-strategies.ts", limit: 3 * 1024 },
  { name: "threadhold/agents", file: "src/facade/uap/index.ts", packages: ["zod", "uuid"], limit: 48 * 1024 },
  {
    name: "threadhold/agents/execution",
    file: "src/facade/uap/strategy/index.ts",
    packages: ["zod", "uuid"],
    limit: 48 * 1024,
  },
  {
    name: "threadhold/loop",
    file: "src/facade/phi/index.ts",
    packages: ["zod", "uuid"],
    limit: 48 * 1024,
    onDemand: true,
  },
  {
    name: "threadhold/loop/sessions",
    file: "src/facade/phi/session/index.ts",
    packages: ["zod", "uuid"],
    limit: 12 * 1024,
    onDemand: true,
  },
  {
    name: "threadhold/loop/agents",
    file: "src/facade/phi/loop-agents.ts",
    packages: ["zod", "uuid"],
    limit: 52 * 1024,
    onDemand: true,
  },
];

/** The bundled files that an entry imports before it runs: all of them, unless the bundle is split. */
function startOf({ outputs }, entry) {
  const needed = new Set();
  const need = (file) => {
    if (outputs[file] === undefined || needed.has(file)) return;
    needed.add(file);
    for (const { path, kind } of outputs[file].imports) if (kind === "import-statement") need(path);
  };
  for (const [file, { entryPoint }] of Object.entries(outputs)) if (entryPoint === entry) need(file);
  return [...needed];
}

let failed = false;
for (const { name, file, packages = [], limit, onDemand = false } of entries) {
  const { outputFiles, metafile } = await build({
    entryPoints: [fromRoot(file)],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    external: ["react", "ai", "@ai-sdk/react", "@assistant-ui/react", ...packages],
    write: false,
    metafile: true,
    ...(onDemand ? { splitting: true, outdir: fromRoot(".cache/client-size") } : {}),
    logLevel: "error",
  });
  const started = startOf(metafile, file);
  const names = new Set(started.map((name) => path.basename(name)));
  const contents = Buffer.concat(
    outputFiles.filter((output) => !onDemand || names.has(path.basename(output.path))).map((output) => output.contents),
  );
  const gzip = gzipSync(contents, { level: 9 }).length;
  console.log(`${name}: ${kib(contents.length)} minified, ${kib(gzip)} gzip of ${kib(limit)}`);
  const inputs = started.flatMap((name) => Object.keys(metafile.outputs[name]?.inputs ?? {}));
  const foreign = inputs.filter((input) => input.includes("node_modules/"));
  if (foreign.length > 0) console.error(`${name} bundles packages: ${foreign.join(", ")}`);
  if (gzip > limit) console.error(`${name} is over its limit.`);
  failed ||= foreign.length > 0 || gzip > limit;
}
process.exit(failed ? 1 : 0);
