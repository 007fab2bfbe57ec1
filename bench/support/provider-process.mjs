// The scripted provider in a process of its own, so that its work does not delay the measuring process. It uses real HTTP on the
// loopback interface and writes deltas one by one, without pauses unless the model's name has one. It reports when each request arrived and when its answer was written.
// The first request of each kind is checked by the rules of the protocol; the check of all would take time of the measured requests.

import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import { requestProblems } from "../../test/support/wire-rules/request-problems.mjs";
import { now } from "./now.mjs";
import { answerTo, pauseOf } from "./provider-wire.mjs";

const answers = new Map();

async function answer(request, response) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const arrived = now();
  const body = Buffer.concat(pieces);
  const requested = JSON.parse(body.toString("utf8"));
  const { model, messages } = requested;
  // A token has about four bytes.
  const tokens = Math.ceil(body.length / 4);
  const key = `${model} ${messages.at(-1)?.role}`;
  const problems = answers.has(key) ? [] : requestProblems("openai", requested);
  if (problems.length > 0) throw new Error(`A request breaks rules: ${problems.join("; ")}`);
  const chunks = answers.get(key) ?? answerTo({ model, messages });
  answers.set(key, chunks);
  const pause = pauseOf(model);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const chunk of chunks) {
    if (!response.write(typeof chunk === "string" ? chunk : chunk(tokens)))
      await new Promise((resolve) => response.once("drain", resolve));
    if (pause > 0) await sleep(pause);
  }
  const written = now();
  response.end();
  process.send?.({ type: "exchange", exchange: { model, arrived, written } });
}

const server = createServer({ noDelay: true, keepAliveTimeout: 600_000 }, (request, response) => {
  answer(request, response).catch((error) => {
    process.send?.({ type: "failed", message: error.message });
    response.destroy();
  });
});
server.listen(0, "127.0.0.1", () => process.send?.({ type: "ready", port: server.address().port }));
// The process that started this one has ended.
process.on("disconnect", () => process.exit(0));
