// Measures the whole path on this machine: a real `wrangler dev`, real objects, and the model of the chosen agent, by default the
// scripted test provider. The figures compare two versions of the code on one machine; they do not predict a deployment's.
//
//   npm run bench -- local-server [--agent assistant] [--count 50]

import { parseArgs } from "node:util";

import { ensureInstall } from "../scripts/ensure-install.mjs";
import { startTemporaryServer } from "../scripts/lib/temporary-server.mjs";
import { report } from "./support/report.mjs";
import { median, spread } from "./support/statistics.mjs";

const { values } = parseArgs({
  options: { agent: { type: "string", default: "assistant" }, count: { type: "string", default: "50" } },
});
const count = Number(values.count);

await ensureInstall();
const server = await startTemporaryServer();
/** @type {import("./support/report.mjs").Row[]} */
const rows = [];

async function call(method, path, body) {
  const answer = await fetch(`${server.url}${path}`, {
    method,
    headers: { "content-type": "application/json", "sec-fetch-site": "none" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

async function measure(name, action) {
  const times = [];
  for (let index = 0; index < count; index++) {
    const begun = performance.now();
    await action(index);
    times.push(performance.now() - begun);
  }
  rows.push({ what: name, measured: median(times), unit: "ms", runs: count, comparison: spread(times) });
}

let code = 0;
try {
  await measure("GET /healthz", () => call("GET", "/healthz"));
  await measure("POST /api/threads", () => call("POST", "/api/threads", { agent_id: values.agent }));
  const thread = await call("POST", "/api/threads", { agent_id: values.agent });
  await measure(`a text answer of ${values.agent} to its rest`, (index) =>
    call("POST", `/api/threads/${thread.id}/messages?wait=true`, { content: `hello ${index}` }),
  );
  await measure("GET a page of messages", () => call("GET", `/api/threads/${thread.id}/messages?limit=50`));
  await measure("GET /api/threads", () => call("GET", "/api/threads?limit=50"));
  rows.push(
    { what: "first answer after start, new state folder", measured: Math.round(server.startedIn), unit: "ms", runs: 1 },
    { what: "first answer after start, used one", measured: Math.round(await server.restart()), unit: "ms", runs: 1 },
  );
  code = report("local-server", rows, { agent: values.agent });
} catch (error) {
  console.error(error.message);
  code = 1;
} finally {
  await server.stop();
}
process.exit(code);
