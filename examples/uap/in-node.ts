// Runs every program of UAP-1.0 in Node: `node examples/run.mjs uap/in-node`. Prints what each observed, as JSON.

import { everyExample, runExamples } from "./every-example.ts";
import { fileStore, resume } from "./file-checkpoints.ts";
import { startLocalServer } from "./local-server.ts";
import { answerFrom } from "./stand-ins.ts";

const server = await startLocalServer();
answerFrom(server.url);
const files = { "12.4.3 file checkpoints": fileStore, "12.4.4 resume": resume };
// The output of the programs themselves is written to stderr.
console.log = console.error;
const outcomes = await runExamples({ ...everyExample, ...files });
await server.close();
process.stdout.write(`${JSON.stringify(outcomes, null, 2)}\n`);
