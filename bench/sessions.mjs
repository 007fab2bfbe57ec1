// Measures what is kept of loops: the fold of their events into sessions, the save of a session, and the memory of parallel branches.
//
// The times are compared with `JSON.stringify` of the same data, alternately in this process, because other processes change both. The memory of
// eight branches is compared with that of one.
//
//   npm run bench -- sessions [--events 10000] [--loops 1000] [--messages 1000] [--rounds 15]

import { rmSync } from "node:fs";
import { parseArgs } from "node:util";

import { ensureInstall } from "../scripts/ensure-install.mjs";
import { importBundle } from "./support/bundle.mjs";
import { report } from "./support/report.mjs";
import { median, ratio, spread } from "./support/statistics.mjs";
import { processorTime } from "./support/timed.mjs";
import { usedHeap } from "./support/used-heap.mjs";

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "10000" },
    loops: { type: "string", default: "1000" },
    messages: { type: "string", default: "1000" },
    rounds: { type: "string", default: "15" },
  },
});
const [events, loops, messages, rounds] = [values.events, values.loops, values.messages, values.rounds].map(Number);
/** The most that a fold may take, compared with JSON.stringify. */
const mostOfJson = 3;
/** The branches, and the most memory that they may take, compared with one. */
const [branches, mostOfOne] = [8, 2];

await ensureInstall();
const { folder, module } = await importBundle(
  "sessions",
  `export * from "./src/facade/phi/index.ts";
  export * from "./src/facade/phi/loop-agents.ts";
  export { MockProvider } from "./src/facade/phi/provider/index.ts";
  export { SessionRecorder } from "./src/facade/phi/session/index.ts";
  export { fileSessions } from "./src/facade/phi/session/node/index.ts";`,
);
const { agentLoopParallel, BasicAgent, createTool, exploreBranches, ...loop } = module;
const { fileSessions, MockProvider, ModelConfig, PickFirstEvaluation, SessionRecorder, userMessage } = loop;

const modelConfig = ModelConfig.anthropic("bench", "Bench", { api_key: "key" });
const text = "word ".repeat(80);
const parameters = { type: "object", properties: {} };
const work = createTool({ name: "work", description: "Works.", parameters, execute: () => text });

/** The events of loops of one session, without deltas, because a recorder keeps none. */
async function eventsOf(answers, isEnough) {
  const kept = [];
  let count = 0;
  const agent = new BasicAgent(modelConfig).withTools([work]);
  while (!isEnough(kept.length, count)) {
    agent.messages = [];
    agent.withProviderOverride(new MockProvider(answers));
    for await (const event of agent.prompt(text)) if (event.type !== "MessageUpdate") kept.push(event);
    count += 1;
  }
  return kept;
}

function recorded(kept) {
  const recorder = new SessionRecorder();
  for (const event of kept) recorder.onEvent(event);
  return recorder;
}

async function processorTimeOf(ask) {
  const from = processorTime();
  await ask();
  return processorTime() - from;
}

/** The processor times of a function and of its floors, alternately. The first rounds are those in which the runtime compiles. */
async function compare(own, ...floors) {
  const times = [own, ...floors].map(() => []);
  for (let round = 0; round < rounds + 5; round += 1)
    for (const [at, ask] of [own, ...floors].entries()) {
      const time = await processorTimeOf(ask);
      if (round >= 5) times[at].push(time);
    }
  return times;
}

function row(what, own, floor, limit) {
  return {
    what,
    measured: ratio(median(own), median(floor)),
    unit: "×",
    ...(limit === undefined ? {} : { limit }),
    runs: rounds,
    comparison: `${median(own)} ms (${spread(own)}), floor ${median(floor)} ms (${spread(floor)})`,
  };
}

async function measureFold(what, answers, limit) {
  const kept = await eventsOf(answers, (length) => length >= events);
  const count = new Set(kept.map(({ loop_id }) => loop_id)).size;
  if (recorded(kept).sessions()[0]?.loops.length !== count) throw new Error("A loop is missing.");
  const [own, floor] = await compare(
    () => recorded(kept),
    () => JSON.stringify(kept),
  );
  return row(`${kept.length} events of ${count} ${what}, folded, compared with JSON.stringify`, own, floor, limit);
}

async function measureSave(answers) {
  const [session] = recorded(await eventsOf(answers, (_length, count) => count === loops)).sessions();
  const store = fileSessions({ dir: `${folder}/stored` });
  const [own, floor, plain] = await compare(
    () => store.save(session),
    () => JSON.stringify(session, null, 2),
    () => JSON.stringify(session),
  );
  if ((await store.load(session.session_id)).loops.length !== loops) throw new Error("A loop is missing.");
  const what = `a session of ${loops} loops, saved as a file, compared with JSON.stringify`;
  return [row(`${what} of its stored form`, own, floor), row(`${what} without indentation`, own, plain)];
}

/** A provider that answers when `open` is called. `begun` is resolved when all requests have arrived. It keeps no request. */
function gate(count) {
  const [begun, opened] = [deferred(), deferred()];
  let requests = 0;
  const of = { model: "bench", provider: "bench", usage: { ...zero }, timestamp: 0 };
  const provider = {
    providerId: () => "bench",
    stream: async () => {
      requests += 1;
      if (requests === count) begun.resolve();
      await opened.promise;
      return { role: "assistant", content: [{ type: "text", text: "Done." }], stop_reason: "stop", ...of };
    },
  };
  return { provider, begun: begun.promise, open: opened.resolve };
}

const zero = { input: 0, output: 0, cache_read: 0, cache_write: 0, total_tokens: 0 };

function deferred() {
  let resolve = () => {};
  const promise = new Promise((settle) => (resolve = settle));
  return { promise, resolve };
}

function conversation() {
  const of = { stop_reason: "stop", model: "bench", provider: "bench", timestamp: 1 };
  return Array.from({ length: messages }, (_, at) => {
    // Each message has a text of its own, as those of models are.
    const content = [{ type: "text", text: Buffer.alloc(1000, `${at} word `).toString() }];
    if (at % 2 === 0) return { role: "user", content, timestamp: 1 };
    return { role: "assistant", content, usage: { ...zero }, ...of };
  });
}

/** Each way to run branches returns what a program keeps of them. */
const ways = {
  agentLoopParallel(list, provider, count) {
    const configs = Array.from({ length: count }, (_, at) => ({
      modelConfig,
      providerOverride: provider,
      configId: `c${at}`,
    }));
    const base = { system_prompt: "", messages: list, tools: [] };
    return agentLoopParallel([userMessage("Go.")], base, configs, new PickFirstEvaluation(), { send() {} });
  },
  async exploreBranches(list, provider, count) {
    const agent = new BasicAgent(modelConfig).withProviderOverride(provider).withContextConfig(null);
    agent.messages = list;
    const runs = exploreBranches(
      agent,
      Array.from({ length: count }, () => ({ messages: ["Go."] })),
    );
    await Promise.all(runs.map(({ done }) => done));
    return runs;
  },
};

/** The bytes of a context with branches: while all of them request an answer, and after their ends. */
async function bytesOf(way, count) {
  const before = await usedHeap();
  const list = conversation();
  const { provider, begun, open } = gate(count);
  const ended = way(list, provider, count);
  await begun;
  const during = (await usedHeap()) - before;
  open();
  const kept = await ended;
  const after = (await usedHeap()) - before;
  if (list.length !== messages || (kept.all_outcomes ?? kept).length !== count) throw new Error("A branch is missing.");
  return { during, after };
}

async function measureBranches() {
  const rows = [];
  for (const [name, way] of Object.entries(ways)) {
    // The first runs compile the code.
    for (const count of [1, branches]) await bytesOf(way, count);
    const [one, all] = [await bytesOf(way, 1), await bytesOf(way, branches)];
    const what = `${branches} branches of ${messages} messages by ${name}: memory compared with one`;
    const row = (at, when) => ({
      what: `${what}, ${when}`,
      measured: ratio(all[at], one[at]),
      unit: "×",
      comparison: `${Math.round(all[at] / 1024)} KiB, one ${Math.round(one[at] / 1024)} KiB`,
    });
    rows.push({ ...row("after", "with all results"), limit: mostOfOne });
    rows.push(row("during", "while all wait for a provider in this process"));
  }
  return rows;
}

try {
  const withCall = [{ tool_calls: [{ name: "work", arguments: { path: "a.txt" } }] }, text];
  const rows = [
    await measureFold("loops with a call each", withCall, mostOfJson),
    await measureFold("loops of one answer each", [text]),
    ...(await measureSave(withCall)),
    ...(await measureBranches()),
  ];
  process.exitCode = report("sessions", rows);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
