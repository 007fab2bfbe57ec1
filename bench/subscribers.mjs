// Compares runs of a thread with 1,000 subscribers to runs of a thread with one, in turn, and measures how much the runtime's memory
// grows: in runs with many subscribers, and with subscribers that stop reading. The model sends 1,000 deltas without pauses, or one every
// 2 ms.
//
//   npm run bench -- subscribers [--rounds 31] [--subscribers 1000]

import { parseArgs } from "node:util";

import { ensureInstall } from "../scripts/ensure-install.mjs";
import { newThread } from "./support/contest.mjs";
import { runtimeMemory, startProgram, startReaders } from "./support/crowd.mjs";
import { report } from "./support/report.mjs";
import { startRuntime } from "./support/runtime.mjs";
import { median, spread } from "./support/statistics.mjs";
import { post } from "./support/stream-client.mjs";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "31" }, subscribers: { type: "string", default: "1000" } },
});
const subscribers = Number(values.subscribers);
const deltas = 1000;
const stalled = 50;
/** How many times longer a run with many subscribers may take than a run with one. */
const allowedRatio = 1.5;
/** MiB that the runtime may grow by in ten runs with many subscribers. */
const allowedGrowth = 64;
/** MiB of a reader's window (`acknowledgeWindow` in src/contract/stream-limits.ts). */
const windowMib = 0.25;
/** MiB of the stalled readers' windows: in the thread's object, in the Worker, and on the way to each of them. */
const allowedForStalled = 4 * stalled * windowMib;

/** Posts a message, waits until the run has ended for every subscriber, and returns the stored duration of the run in milliseconds. */
async function converse({ thread, crowds }, content) {
  const { run } = await post(`${thread}/messages`, { content });
  await Promise.all(crowds.map((crowd) => crowd.ended()));
  const { started_at, ended_at } = await (await fetch(`${thread}/runs/${run.id}`)).json();
  return (ended_at - started_at) / 1000;
}

async function compare(one, many, { pause, rounds }) {
  const content = `deltas ${deltas} pause ${pause}`;
  const runs = [];
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? [one, many] : [many, one];
    const times = new Map();
    for (const followed of order) times.set(followed, await converse(followed, content));
    runs.push({ one: times.get(one), many: times.get(many) });
  }
  const ratios = runs.map((run) => run.many / run.one);
  const shown = (of) => `${median(runs.map((run) => run[of]))} ms (${spread(runs.map((run) => run[of]))})`;
  return {
    what: `a run with ${subscribers} subscribers / with one, deltas ${pause === 0 ? "without pauses" : `${pause} ms apart`}`,
    measured: median(ratios),
    unit: "×",
    limit: allowedRatio,
    runs: rounds,
    comparison: `${shown("many")} / ${shown("one")}`,
  };
}

function grown(what, before, after, limit) {
  const [measured, from, to] = [after - before, before, after].map((mib) => Number(mib.toFixed(1)));
  return { what, measured, unit: "MiB", limit, comparison: `from ${from} to ${to} MiB` };
}

async function growthOfRuns(many) {
  const before = runtimeMemory();
  let peak = before;
  const sampling = setInterval(() => (peak = Math.max(peak, runtimeMemory())), 50);
  for (let round = 0; round < 10; round++) await converse(many, `deltas ${deltas}`);
  clearInterval(sampling);
  return grown(`memory of ten runs with ${subscribers} subscribers, at most`, before, peak, allowedGrowth);
}

async function growthOfStalled(url, readers) {
  const thread = await newThread(url, "text-20");
  const reading = await readers.join(thread, 1);
  const crowd = await readers.join(thread, stalled);
  const content = `deltas ${deltas} length 500`;
  for (let round = 0; round < 5; round++) await converse({ thread, crowds: [reading, crowd] }, content);
  await crowd.stall();
  const before = runtimeMemory();
  for (let round = 0; round < 10; round++) await converse({ thread, crowds: [reading] }, content);
  const after = runtimeMemory();
  await Promise.all([reading, crowd].map((followers) => followers.leave()));
  return grown(`memory of ${stalled} subscribers that stop reading`, before, after, allowedForStalled);
}

await ensureInstall();
const model = await startProgram("test/support/delta-model/main.mjs");
const readers = startReaders();
let runtime;
let code = 1;
try {
  runtime = await startRuntime({ OPENAI_API_KEY: "sk-bench-0123456789abcdef", OPENAI_BASE_URL: `${model.url}/v1` });
  const watched = async (count) => {
    const thread = await newThread(runtime.url, "text-20");
    return { thread, crowds: [await readers.join(thread, count)] };
  };
  const [one, many] = [await watched(1), await watched(subscribers)];
  // The first runs are slower, and the runtime's memory grows with them.
  for (let round = 0; round < 10; round++) await converse(one, `deltas ${deltas}`);
  for (let round = 0; round < 2; round++) await converse(many, `deltas ${deltas}`);
  const rounds = Number(values.rounds);
  const rows = [
    await compare(one, many, { pause: 0, rounds }),
    await compare(one, many, { pause: 2, rounds: Math.ceil(rounds / 4) }),
    await growthOfRuns(many),
    await growthOfStalled(runtime.url, readers),
  ];
  code = report("subscribers", rows);
} finally {
  readers.stop();
  model.stop();
  await runtime?.stop();
}
process.exit(code);
