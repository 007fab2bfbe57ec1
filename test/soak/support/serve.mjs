// Serves a Worker until its process group is killed: `node serve.mjs <options of miniflare as JSON>`. It ends with the process that started it.

import { createRequire } from "node:module";

// An import would first search the large file for its exports.
const { Miniflare } = createRequire(import.meta.url)("miniflare");

const server = new Miniflare(JSON.parse(process.argv[2]));
process.stdin.on("end", () => process.exit(1)).resume();
const { origin } = await server.ready;
console.log(`ready on ${origin}`);
