// Creates, runs and abandons or deletes threads for minutes, and measures what the runtime keeps of them. After each round of work there is a
// pause; then the resident memory of the runtime is read. The heap of a round is the lowest of its readings, and has to stop growing with the
// number of threads. The resident memory has no limit: it contains memory of the runtime, which the Worker's code does not control.
//
//   npm run bench -- churn [--minutes 15] [--clients 8] [--of threads]
//
// With `--of floors` the objects are those of bench/worker/floor.ts, which have one table and no code of threads: what the runtime itself keeps
// of each object of the local server.

import { parseArgs } from "node:util";

import { ensureInstall } from "../scripts/ensure-install.mjs";
import { runtimeMemory } from "./support/crowd.mjs";
import { heapReader } from "./support/heap.mjs";
import { startProvider } from "./support/provider.mjs";
import { report } from "./support/report.mjs";
import { startRuntime } from "./support/runtime.mjs";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "15" },
    clients: { type: "string", default: "8" },
    of: { type: "string", default: "threads" },
  },
});
const clients = Number(values.clients);
const lasts = Number(values.minutes) * 60_000;

/** Milliseconds of work in a round, and of the pause after it. workerd unloads an object ten seconds after its last request. */
const [work, pause] = [30_000, 15_000];

/** MiB by which the lowest heap of the second half may exceed that of the first half. */
const mostGrowth = 8;

await ensureInstall();
const provider = await startProvider();
const runtime = await startRuntime(
  { OPENAI_API_KEY: "sk-bench-0123456789abcdef", OPENAI_BASE_URL: `${provider.url}/v1` },
  { inspectorPort: 0 },
);
let threads = 0;

async function call(method, path, body) {
  const answer = await fetch(`${runtime.url}${path}`, {
    method,
    headers: { "content-type": "application/json", "sec-fetch-site": "none" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text === "" ? null : JSON.parse(text);
}

/** Opens the stream of a thread, and abandons it after the first bytes. */
async function abandonStream(id) {
  const ending = new AbortController();
  const stream = await fetch(`${runtime.url}/api/threads/${id}/events?after=0`, {
    headers: { accept: "text/event-stream", "sec-fetch-site": "none" },
    signal: ending.signal,
  });
  await stream.body?.getReader().read();
  ending.abort();
}

/** The life of one thread. Every second one is deleted, the others are abandoned; every fourth one has an abandoned stream. */
async function live() {
  threads += 1;
  const number = threads;
  const { id } = await call("POST", "/api/threads", { agent_id: "own_run" });
  for (let turn = 0; turn < 3; turn += 1) {
    await call("POST", `/api/threads/${id}/messages?wait=true`, { content: `Message ${turn} of thread ${number}` });
  }
  if (number % 4 === 0) await abandonStream(id);
  await call("GET", `/api/threads/${id}/messages?limit=50`);
  if (number % 2 === 0) await call("DELETE", `/api/threads/${id}`);
}

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The life of one floor: as many requests as a thread has turns. */
async function liveAsFloor() {
  threads += 1;
  const name = `churn${threads}`;
  for (let turn = 0; turn < 3; turn += 1) {
    const body = JSON.stringify({ model: "text-20", content: `Message ${turn}`, count: 1, way: "bytes" });
    await (await fetch(`${runtime.url}/floor/${name}`, { method: "POST", body })).text();
  }
}

const life = values.of === "floors" ? liveAsFloor : live;

/** Works until `end`. Returns the lowest reading of the heap. */
async function workUntil(end, readHeap) {
  const client = async () => {
    while (Date.now() < end) await life();
  };
  let lowest = Infinity;
  const reading = async () => {
    while (Date.now() < end) {
      await wait(500);
      lowest = Math.min(lowest, await readHeap());
    }
  };
  await Promise.all([reading(), ...Array.from({ length: clients }, client)]);
  return lowest;
}

/** How much the lowest heap of the second half exceeds that of the first half, without its first round. */
function heapGrowth(samples) {
  const half = Math.ceil(samples.length / 2);
  const lowest = (of) => Math.min(...of.map(({ heap }) => heap));
  return Number((lowest(samples.slice(half)) - lowest(samples.slice(1, half))).toFixed(1));
}

const samples = [];
let code = 1;
try {
  const readHeap = heapReader(runtime.inspector);
  const begun = Date.now();
  do {
    const heap = await workUntil(Date.now() + work, readHeap);
    await wait(pause);
    const sample = { threads, heap, resident: runtimeMemory() };
    samples.push(sample);
    const at = Math.round((Date.now() - begun) / 1000);
    console.error(
      `${at} s: ${threads} ${values.of}, heap ${sample.heap.toFixed(1)} MiB, resident ${sample.resident.toFixed(0)} MiB`,
    );
  } while (Date.now() - begun < lasts || samples.length < 4);
  const line = (field) => samples.map((sample) => sample[field].toFixed(field === "heap" ? 1 : 0)).join(" ");
  code = report("churn", [
    {
      what: `growth of the heap while ${values.of} come and go`,
      measured: heapGrowth(samples),
      unit: "MiB",
      limit: mostGrowth,
      runs: threads,
      comparison: `MiB: ${line("heap")}`,
    },
    {
      what: "resident memory of the runtime at the end",
      measured: Math.round(samples.at(-1).resident),
      unit: "MiB",
      runs: threads,
      comparison: `MiB: ${line("resident")}`,
    },
  ]);
} finally {
  await runtime.stop();
  provider.stop();
}
process.exit(code);
