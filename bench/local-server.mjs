// Measures the whole path on this machine: a real `wrangler dev`, real objects, the scripted test provider or whatever
// the chosen agent uses. Numbers compare two states of the code on one machine; they say nothing about the edge.
//
//   node bench/local-server.mjs [--agent assistant] [--count 50]

import { parseArgs } from "node:util";

import { ensureInstall } from "../scripts/ensure-install.mjs";
import { startTemporaryServer } from "../scripts/lib/temporary-server.mjs";

const { values } = parseArgs({
  options: { agent: { type: "string", default: "assistant" }, count: { type: "string", default: "50" } },
});
const count = Number(values.count);

await ensureInstall();
const server = await startTemporaryServer();
/** @type {Record<string, string | number>[]} */
const rows = [];

async function call(method, path, body) {
  const answer = await fetch(`${server.url}${path}`, {
    method,
    headers: { "content-type": "application/json" },
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
  times.sort((a, b) => a - b);
  const at = (share) => Number((times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(1));
  rows.push({ what: name, count, "p50 ms": at(0.5), "p95 ms": at(0.95), "max ms": at(1) });
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
  const start = { cold: Math.round(server.startedIn), warm: Math.round(await server.restart()) };
  console.log(JSON.stringify({ bench: "local-server", agent: values.agent, start, rows }));
  console.table(rows);
  console.log(
    `local server: first answer ${start.cold} ms after start on a new state folder, ${start.warm} ms on a used one`,
  );
} catch (error) {
  console.error(error.message);
  code = 1;
} finally {
  await server.stop();
}
process.exit(code);
