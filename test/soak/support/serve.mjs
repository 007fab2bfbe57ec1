// Serves a Worker until its process group is killed: `node serve.mjs <options of miniflare as JSON>`. It ends with the process that started it.

import { createRequire } from "node:module";

// `import` would first parse the whole file to find its exports, which takes 0.15 seconds.
const { Miniflare } = createRequire(import.meta.url)("miniflare");

const server = new Miniflare(JSON.parse(process.argv[2]));
process.stdin.on("end", () => process.exit(1)).resume();
const { origin } = await server.ready;
console.log(`ready on ${origin}`);
