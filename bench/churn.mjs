// Creates, runs and abandons or deletes threads for minutes, and measures what the runtime keeps of them. Plain objects that make the same
// calls of the platform without the project's code follow in a runtime of their own, in as many rounds.
//
// - The heap is read after a garbage collection, and must not grow with the number of threads.
// - The resident memory is read after a pause in which the runtime unloads the objects of the round. It contains native memory of garbage that
//   V8 has not collected, in the Worker and in the local D1, and free memory of workerd's allocator, which returns none to the system. So it
//   grows until the most garbage between two collections fits, with plain objects as with threads.
//
//   npm run bench -- churn [--minutes 15] [--clients 8] [--round 400]

import { parseArgs } from "node:util";

import { ensureInstall } from "../scripts/ensure-install.mjs";
import { runtimeMemory } from "./support/crowd.mjs";
import { collectedHeap } from "./support/heap.mjs";
import { report } from "./support/report.mjs";
import { startRuntime } from "./support/runtime.mjs";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "15" },
    clients: { type: "string", default: "8" },
    round: { type: "string", default: "400" },
  },
});
const clients = Number(values.clients);
const roundSize = Number(values.round);
/** Milliseconds of the whole bench: a fifth for the heap, and two fifths each for threads and for plain objects. */
const lasts = Number(values.minutes) * 60_000;
const leastRounds = 6;

/** Milliseconds of the pause after a round. workerd unloads an object ten seconds after its last request. */
const pause = 12_000;

/** MiB by which the heap may grow after the first round, in which modules are loaded. */
const mostGrowth = 2;

/** How many times the highest resident memory with plain objects the one with threads may be. */
const mostRatio = 1.5;

async function call(runtime, method, path, body) {
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
async function abandonStream(runtime, id) {
  const ending = new AbortController();
  const stream = await fetch(`${runtime.url}/api/threads/${id}/events?after=0`, {
    headers: { accept: "text/event-stream", "sec-fetch-site": "none" },
    signal: ending.signal,
  });
  await stream.body?.getReader().read();
  ending.abort();
}

/** The life of one thread. Every second one is deleted, the others are abandoned; every fourth one has an abandoned stream. */
async function liveAsThread(runtime, number) {
  const { id } = await call(runtime, "POST", "/api/threads", { agent_id: "own_run" });
  for (let turn = 0; turn < 3; turn += 1) {
    await call(runtime, "POST", `/api/threads/${id}/messages?wait=true`, {
      content: `Message ${turn} of thread ${number}`,
    });
  }
  if (number % 4 === 0) await abandonStream(runtime, id);
  await call(runtime, "GET", `/api/threads/${id}/messages?limit=50`);
  if (number % 2 === 0) await call(runtime, "DELETE", `/api/threads/${id}`);
}

/** The life of one plain object: as many requests as a thread has turns. Every second one is deleted. */
async function liveAsPlain(runtime, number) {
  const url = `${runtime.url}/plain/churn${number}`;
  for (let turn = 0; turn < 3; turn += 1) {
    const answer = await fetch(url, { method: "POST", body: `Message ${turn} of object ${number}` });
    if (!answer.ok) throw new Error(`POST ${url}: ${answer.status} ${await answer.text()}`);
    await answer.text();
  }
  if (number % 2 === 0) await fetch(url, { method: "DELETE" });
}

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Plays the lives with these numbers, by several clients at a time. */
async function playRound(live, from, to) {
  let next = from;
  const client = async () => {
    while (next < to) await live((next += 1));
  };
  await Promise.all(Array.from({ length: clients }, client));
}

/** Plays rounds of lives in a runtime of its own while `goesOn` permits it. Returns the result of `read` after each round. */
async function churn({ what, live, size, goesOn, options = {}, read }) {
  const runtime = await startRuntime({}, options);
  const samples = [];
  try {
    const begun = Date.now();
    while (goesOn(samples.length, Date.now() - begun)) {
      const from = samples.length * size;
      const round = () => playRound((number) => live(runtime, number), from, from + size);
      samples.push(await read(runtime, round));
      const at = Math.round((Date.now() - begun) / 1000);
      console.error(`${at} s: ${from + size} ${what}, ${samples.at(-1).toFixed(1)} MiB`);
    }
  } finally {
    await runtime.stop();
  }
  return samples;
}

/** The heap after a round and a garbage collection. */
async function heapAfter({ inspector }, round) {
  await round();
  return collectedHeap(inspector);
}

/** The resident memory after a round and its pause. */
async function residentAfter(_runtime, round) {
  await round();
  await wait(pause);
  return runtimeMemory();
}

const rounded = (value) => Number(value.toFixed(1));

await ensureInstall();
// An open inspector slows the runtime, so the heap has rounds of its own.
const heaps = await churn({
  what: "threads, heap",
  live: liveAsThread,
  size: roundSize / 4,
  goesOn: (rounds, elapsed) => rounds < leastRounds || elapsed < lasts / 5,
  options: { inspectorPort: 0 },
  read: heapAfter,
});
const threads = await churn({
  what: "threads, resident",
  live: liveAsThread,
  size: roundSize,
  goesOn: (rounds, elapsed) => rounds < leastRounds || elapsed < (lasts * 2) / 5,
  read: residentAfter,
});
const plain = await churn({
  what: "plain objects, resident",
  live: liveAsPlain,
  size: roundSize,
  goesOn: (rounds) => rounds < threads.length,
  read: residentAfter,
});

const lastThird = Math.ceil((threads.length * 2) / 3);
const lateGrowth = (samples) => Math.max(...samples.slice(lastThird)) - Math.max(...samples.slice(0, lastThird));
const line = (samples, digits = 0) => `MiB: ${samples.map((sample) => sample.toFixed(digits)).join(" ")}`;
const runs = threads.length * roundSize;
const code = report("churn", [
  {
    what: "heap: growth with threads that come and go",
    measured: rounded(heaps.at(-1) - heaps[1]),
    unit: "MiB",
    limit: mostGrowth,
    runs: (heaps.length * roundSize) / 4,
    comparison: line(heaps, 1),
  },
  {
    what: "highest resident memory with threads, compared with plain objects",
    measured: rounded(Math.max(...threads) / Math.max(...plain)),
    unit: "×",
    limit: mostRatio,
    runs,
    comparison: `${Math.max(...threads).toFixed(0)} / ${Math.max(...plain).toFixed(0)} MiB`,
  },
  {
    what: "resident memory with threads: growth of the highest in the last third",
    measured: rounded(lateGrowth(threads)),
    unit: "MiB",
    runs,
    comparison: line(threads),
  },
  {
    what: "resident memory with plain objects: growth of the highest in the last third",
    measured: rounded(lateGrowth(plain)),
    unit: "MiB",
    runs,
    comparison: line(plain),
  },
]);
process.exit(code);
