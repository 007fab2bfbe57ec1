// Bundles the client and the entry for UPP as an application would, checks their sizes, and checks that they contain no package.

import { gzipSync } from "node:zlib";

import { build } from "esbuild";

import { fromRoot } from "./lib/paths.mjs";

const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;

/** The limit of each entry in bytes after gzip. Peer dependencies are not included. Code that two entries share counts in each. */
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
];

let failed = false;
for (const { name, file, packages = [], limit } of entries) {
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
    logLevel: "error",
  });
  const contents = Buffer.concat(outputFiles.map((file) => file.contents));
  const gzip = gzipSync(contents, { level: 9 }).length;
  console.log(`${name}: ${kib(contents.length)} minified, ${kib(gzip)} gzip of ${kib(limit)}`);
  const foreign = Object.keys(metafile.inputs).filter((input) => input.includes("node_modules/"));
  if (foreign.length > 0) console.error(`${name} bundles packages: ${foreign.join(", ")}`);
  if (gzip > limit) console.error(`${name} is over its limit.`);
  failed ||= foreign.length > 0 || gzip > limit;
}
process.exit(failed ? 1 : 0);
