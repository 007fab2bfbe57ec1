// Starts the model server by itself: node test/support/model-server/main.mjs --port 0 [--seed 7]
// RECORDED_DIR names a folder of recorded answers. Prints one line of JSON once it listens; SIGTERM and SIGINT end it.

import { parseArgs } from "node:util";

import { startModelServer } from "./server.mjs";

const { values } = parseArgs({ options: { port: { type: "string", default: "0" }, seed: { type: "string" } } });
const server = await startModelServer({
  port: Number(values.port),
  recordedDir: process.env.RECORDED_DIR ?? null,
  ...(values.seed === undefined ? {} : { seed: Number(values.seed) }),
});
process.stdout.write(`${JSON.stringify({ url: server.url, port: server.port, seed: server.seed })}\n`);
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => void server.close().then(() => process.exit(0)));
