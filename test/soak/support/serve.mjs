// Serves a Worker until its process group is killed: `node serve.mjs <options of miniflare as JSON>`. It ends with the process that started it.

import { Miniflare } from "miniflare";

const server = new Miniflare(JSON.parse(process.argv[2]));
process.stdin.on("end", () => process.exit(1)).resume();
const { origin } = await server.ready;
console.log(`ready on ${origin}`);
