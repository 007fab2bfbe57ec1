// Measures `threadhold/loop` in this process: the time of a turn compared with a step of `agent()`, conversations of 1,000 turns with
// compaction, and 100 agents with 10 calls each at a time.
//
// The comparison uses the scripted provider over real HTTP. A loop and an agent send the same two requests in turn: an answer that calls a
// tool, and an answer after its result. The limit is a ratio of processor times of one run, because other processes change both. The
// other figures use a provider in this process, so that they contain nothing but the loop.
//
//   npm run bench -- loop [--rounds 200] [--turns 1000] [--agents 100]

import { rmSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { parseArgs } from "node:util";

import { ensureInstall } from "../scripts/ensure-install.mjs";
import { importBundle } from "./support/bundle.mjs";
import { startProvider } from "./support/provider.mjs";
import { report } from "./support/report.mjs";
import { median, ratio, spread } from "./support/statistics.mjs";
import { processorTime, timed } from "./support/timed.mjs";
import { usedHeap } from "./support/used-heap.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "200" },
    turns: { type: "string", default: "1000" },
    agents: { type: "string", default: "100" },
  },
});
const [rounds, turns, agents] = [Number(values.rounds), Number(values.turns), Number(values.agents)];
/** The most that a turn of a loop may take, compared with a step of `agent()`. */
const mostOfAgent = 1.25;
const steps = 2;
const perRound = 5;
/** The rounds until the runtime has compiled and optimised the code of both, as in agents.mjs. */
const warmUp = 400;
/** The turn from which on the heap has to be flat, and the KiB that it may grow by in a turn. The texts of one turn have 1 KiB. */
const [flatFrom, growth] = [200, 0.5];
/** The tokens that the messages of a request may have. */
const budget = 10_000;
const calls = 10;
const kib = (bytes) => Number((bytes / 1024).toFixed(2));

await ensureInstall();
const { folder, module } = await importBundle(
  "loop",
  `export * from "./src/facade/phi/index.ts";
  export { agent, AgentState } from "./src/facade/uap/index.ts";
  export { createProvider } from "./src/facade/upp/create-provider.ts";`,
);
const loop = module;
const {
  agent,
  agentLoop,
  AgentState,
  BasicAgent,
  createProvider,
  createTool,
  messageTokens,
  ModelConfig,
  userMessage,
} = loop;
rmSync(folder, { recursive: true });

const parameters = { type: "object", properties: {} };
const described = { name: "at_once", description: "Returns at once.", parameters };
const provider = await startProvider();

/** The milliseconds of a turn, of processor time and on the wall. */
const time = (ask) => timed(ask, { calls: perRound, steps });

async function measureTurn() {
  const model = createProvider({ protocol: "openai", apiKey: "key", baseUrl: provider.url })("tool");
  const self = agent({ model, tools: [{ ...described, run: () => "Done." }] });
  const askAgent = () => self.generate("Go.", AgentState.initial());
  const tools = [createTool({ ...described, execute: () => "Done." })];
  const config = { modelConfig: ModelConfig.openai("tool", "Tool", { api_key: "key", base_url: provider.url }) };
  let events = 0;
  const tx = { send: () => (events += 1) };
  const askLoop = async () => {
    const messages = await agentLoop([userMessage("Go.")], { system_prompt: "", messages: [], tools }, config, tx);
    if (messages.length !== 4) throw new Error("A loop is incomplete.");
  };
  const measured = [];
  for (let round = 0; round < rounds + warmUp; round += 1) {
    // The loop and the agent begin a round alternately.
    const early = round % 2 === 0 ? await time(askLoop) : null;
    const floor = await time(askAgent);
    const whole = early ?? (await time(askLoop));
    await provider.exchanges(perRound * steps * 2);
    measured.push({ floor, whole });
  }
  if (events === 0) throw new Error("The loop emitted no events.");
  const some = measured.slice(warmUp);
  return ["processor", "wall"].map((kind) => {
    const [own, floor] = [some.map(({ whole }) => whole[kind]), some.map((times) => times.floor[kind])];
    return {
      what: `a turn of a loop with its events, compared with a step of agent(): ${kind === "wall" ? "time on the wall" : "processor time"}`,
      measured: ratio(median(own), median(floor)),
      unit: "×",
      ...(kind === "processor" ? { limit: mostOfAgent } : {}),
      runs: some.length * perRound,
      comparison: `${median(own)} ms (${spread(own)}), floor ${median(floor)} ms (${spread(floor)})`,
    };
  });
}

/**
 * A provider in this process. `answer` returns the blocks of the next answer. It keeps no request. It answers in a later turn of the event
 * loop, as a provider on a network does: the runtime keeps the targets of weak references until then.
 */
function inProcess(answer) {
  return {
    providerId: () => "bench",
    stream: async ({ messages }, tx) => {
      await nextTurn();
      const content = answer(messages);
      tx.send({ type: "Start" });
      for (const [content_index, block] of content.entries()) {
        if (block.type === "text") tx.send({ type: "TextDelta", content_index, delta: block.text });
      }
      const stop_reason = content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop";
      const usage = { input: 0, output: 0, cache_read: 0, cache_write: 0, total_tokens: 0 };
      const of = { stop_reason, model: "bench", provider: "bench", usage, timestamp: Date.now() };
      return { role: "assistant", content, ...of };
    },
  };
}

const modelConfig = ModelConfig.anthropic("bench", "Bench", { api_key: "key" });
const contextConfig = { max_context_tokens: budget, system_prompt_tokens: 0 };
const text = "word ".repeat(80);

/** Counts what a conversation sends. */
class Sent {
  most = 0;
  rewrites = 0;
  /** The turns whose request does not extend the request before it. */
  #last = [];

  take(messages) {
    const texts = messages.map((message) => JSON.stringify(message.content));
    if (!this.#last.every((one, at) => one === texts[at])) this.rewrites += 1;
    this.#last = texts;
    this.most = Math.max(
      this.most,
      messages.reduce((sum, message) => sum + messageTokens(message), 0),
    );
  }
}

/** The rows of a conversation: its sent tokens, the growth of its time, and the growth of its heap. */
function rowsOf(what, { sent, marks, heaps, limit }) {
  const half = (turns - flatFrom) / 2;
  const at = (turn) => marks[turn - 1] ?? Number.NaN;
  const [early, late] = [at(flatFrom + half) - at(flatFrom), at(turns) - at(flatFrom + half)];
  const grown = Math.max(0, heaps.at(-1) - heaps[1]) / (turns - flatFrom);
  return [
    {
      what: `${what}: most tokens of a request`,
      measured: sent.most,
      unit: "tokens",
      limit: budget,
      runs: turns,
      comparison: `${sent.rewrites} requests do not extend the request before`,
    },
    {
      what: `${what}: time of the last ${half} turns compared with the ${half} before`,
      measured: ratio(late, early),
      unit: "×",
      comparison: `${(late / half).toFixed(2)} ms a turn, before ${(early / half).toFixed(2)} ms`,
    },
    {
      what: `${what}: heap that a turn after turn ${flatFrom} adds`,
      measured: kib(grown),
      unit: "KiB",
      ...(limit === undefined ? {} : { limit }),
      comparison: `KiB after each ${flatFrom} turns: ${heaps.map((bytes) => Math.round(bytes / 1024)).join(", ")}`,
    },
  ];
}

/** An agent that is prompted in each turn, so that a conversation has many loops. */
async function measurePrompts(what, compaction, limit) {
  const sent = new Sent();
  const self = new BasicAgent(modelConfig)
    .withProviderOverride(inProcess((messages) => (sent.take(messages), [{ type: "text", text: `Read. ${text}` }])))
    .withContextConfig({ ...contextConfig, compaction });
  const [marks, heaps] = [[], [await usedHeap()]];
  for (let turn = 1, from = processorTime(); turn <= turns; turn += 1) {
    const { done } = self.prompt(`${turn} ${text}`);
    await done;
    marks.push(processorTime() - from);
    if (turn % flatFrom === 0) heaps.push(await usedHeap());
  }
  return rowsOf(what, { sent, marks, heaps, limit });
}

/** One loop whose answers call a tool until its last turn. */
async function measureOneLoop(what) {
  const sent = new Sent();
  let requests = 0;
  const providerOverride = inProcess((messages) => {
    sent.take(messages);
    requests += 1;
    return requests === turns
      ? [{ type: "text", text: "Done." }]
      : [{ type: "toolCall", id: `call_${requests}`, name: "work", arguments: {} }];
  });
  const tools = [createTool({ ...described, name: "work", execute: () => text })];
  const [marks, heaps, from] = [[], [await usedHeap()], processorTime()];
  const afterTurn = async () => {
    marks.push(processorTime() - from);
    if (marks.length % flatFrom === 0) heaps.push(await usedHeap());
  };
  const context = { system_prompt: "", messages: [], tools };
  const config = { modelConfig, providerOverride, contextConfig, afterTurn };
  const messages = await agentLoop([userMessage("Go.")], context, config, { send: () => {} });
  if (messages.length !== 2 * turns) throw new Error("The loop is incomplete.");
  return rowsOf(what, { sent, marks, heaps });
}

/** Agents that work at the same time, each with calls that end in another order than they began. */
async function measureAgents() {
  const work = createTool({
    ...described,
    name: "work",
    execute: async ({ turnsToWait, id }) => {
      for (let waited = 0; waited < turnsToWait; waited += 1) await Promise.resolve();
      return id;
    },
  });
  const one = async (number) => {
    const ids = Array.from({ length: calls }, (_, at) => `${number}-${at}`);
    const content = ids.map((id, at) => ({
      type: "toolCall",
      id,
      name: "work",
      arguments: { id, turnsToWait: calls - at },
    }));
    const providerOverride = inProcess((messages) =>
      messages.length === 1 ? content : [{ type: "text", text: "Done." }],
    );
    const self = new BasicAgent(modelConfig).withProviderOverride(providerOverride).withTools([work]);
    const messages = await self.prompt("Go.").done;
    const results = messages.flatMap((message) => (message.role === "toolResult" ? message.content[0].text : []));
    if (results.join() !== ids.join()) throw new Error(`The results of agent ${number} are ${results.join()}.`);
  };
  const [repeats, used] = [6, []];
  const times = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const from = processorTime();
    await Promise.all(Array.from({ length: agents }, (_, number) => one(number)));
    times.push(processorTime() - from);
    used.push(await usedHeap());
  }
  const remains = Math.max(0, used.at(-1) - used[2]) / (agents * (repeats - 3));
  const what = `${agents} agents at a time with ${calls} calls each`;
  return [
    {
      what: `${what}: processor time of a call, with its result in order`,
      measured: Number((median(times) / (agents * calls)).toFixed(3)),
      unit: "ms",
      runs: agents * repeats,
    },
    {
      what: `${what}: heap that remains of an agent`,
      measured: kib(remains),
      unit: "KiB",
      limit: 1,
      runs: agents * repeats,
    },
  ];
}

try {
  const rows = await measureTurn();
  rows.push(...(await measureOneLoop(`one loop of ${turns} turns`)));
  rows.push(...(await measurePrompts(`${turns} prompts`, {})));
  const inPlace = { applyToContext: true };
  rows.push(...(await measurePrompts(`${turns} prompts with applyToContext`, inPlace, growth)));
  rows.push(...(await measureAgents()));
  process.exitCode = report("loop", rows);
} finally {
  provider.stop();
}
