// Measures agents as functions (`threadhold/agents`) in this process, with the scripted provider over real HTTP: the time of a step above
// that of the provider's package, and the memory of 1,000 executions at a time.
//
// An execution has two steps: an answer that calls a tool, and an answer after its result. The package sends the same two requests, in turn with
// the agent, and reads both answers. The time is the processor time of this process, because other processes change it less than they change
// the time on the wall, which is printed too.
//
//   npm run bench -- agents [--rounds 200] [--executions 1000]

import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { createOpenAI } from "@ai-sdk/openai";

import { ensureInstall } from "../scripts/ensure-install.mjs";
import { importBundle } from "./support/bundle.mjs";
import { startProvider } from "./support/provider.mjs";
import { report } from "./support/report.mjs";
import { median, ratio, spread } from "./support/statistics.mjs";
import { timed } from "./support/timed.mjs";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "200" }, executions: { type: "string", default: "1000" } },
});
const [rounds, executions] = [Number(values.rounds), Number(values.executions)];
/** Milliseconds that a step itself may take. */
const overhead = 0.5;
const steps = 2;
/** The number of executions of the agent, and of the package, in a round. */
const perRound = 5;
/**
 * The rounds until the runtime has compiled and optimised the code of both. After 80 and 150 rounds the difference was above 0.9 ms, and after 300,
 * 600 and 1,200 rounds it was 0.6 ms.
 */
const warmUp = 400;
/** The rounds of a process that has just started, whose figure is printed without a limit. */
const first = 80;
/** How often the executions are repeated, and the KiB that may remain of each one. */
const [repeats, remains] = [6, 1];
const kib = (bytes) => Number((bytes / 1024).toFixed(2));

await ensureInstall();
const { folder, module } = await importBundle(
  "agents",
  `export { agent, AgentState } from "./src/facade/uap/index.ts";
  export { createProvider } from "./src/facade/upp/create-provider.ts";`,
);
const { agent, AgentState, createProvider } = module;
rmSync(folder, { recursive: true });

const tool = {
  name: "at_once",
  description: "Returns at once.",
  parameters: { type: "object", properties: {} },
  run: () => "Done.",
};
const provider = await startProvider();
const model = createProvider({ protocol: "openai", apiKey: "key", baseUrl: provider.url })("tool");
const package_ = createOpenAI({ apiKey: "key", baseURL: provider.url }).chat("tool");

/** The two requests of an execution, by the package alone. */
async function askPackage() {
  const tools = [{ type: "function", name: tool.name, description: tool.description, inputSchema: tool.parameters }];
  const prompt = [{ role: "user", content: [{ type: "text", text: "Go." }] }];
  const call = { toolCallId: "call_bench", toolName: tool.name };
  const answered = [
    { role: "assistant", content: [{ type: "tool-call", ...call, input: {} }] },
    { role: "tool", content: [{ type: "tool-result", ...call, output: { type: "text", value: "Done." } }] },
  ];
  for (const messages of [prompt, [...prompt, ...answered]]) {
    const { stream } = await package_.doStream({ prompt: messages, tools });
    for await (const part of stream) if (part.type === "error") throw part.error;
  }
}

const askAgent = (self) => self.generate("Go.", AgentState.initial());

/** The milliseconds of a step, of processor time and on the wall. */
const time = (ask) => timed(ask, { calls: perRound, steps });

async function measureStep() {
  const self = agent({ model, tools: [tool] });
  const measured = [];
  for (let round = 0; round < rounds + warmUp; round += 1) {
    // The agent and the package begin a round alternately.
    const agentFirst = round % 2 === 0;
    const early = agentFirst ? await time(() => askAgent(self)) : null;
    const floor = await time(askPackage);
    const whole = early ?? (await time(() => askAgent(self)));
    await provider.exchanges(perRound * steps * 2);
    measured.push({ floor, whole });
  }
  const row = (kind, some) => {
    const [whole, floor] = [some.map((times) => times.whole[kind]), some.map((times) => times.floor[kind])];
    const own = whole.map((time, at) => time - (floor[at] ?? Number.NaN));
    return {
      measured: median(own),
      unit: "ms",
      runs: some.length * perRound,
      comparison: `a step: ${median(whole)} ms (${spread(whole)}) − ${median(floor)} ms (${spread(floor)}), ratio ${ratio(median(whole), median(floor))}, difference ${spread(own)}`,
    };
  };
  const what = "a step of an agent, above the provider's package";
  return [
    { what: `${what}: processor time`, ...row("processor", measured.slice(warmUp)), limit: overhead },
    { what: `${what}: time on the wall`, ...row("wall", measured.slice(warmUp)) },
    { what: `${what}, in the first ${first} rounds: processor time`, ...row("processor", measured.slice(0, first)) },
  ];
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

/** The bytes of the heap that are in use. */
function heap() {
  collect();
  return process.memoryUsage().heapUsed;
}

async function measureMemory() {
  const atRest = [];
  let inProgress = 0;
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const before = heap();
    let arrived = 0;
    let open = () => {};
    const all = new Promise((resolve) => {
      open = resolve;
    });
    // Each execution waits in its tool until all executions are in their tools.
    const run = async () => {
      arrived += 1;
      if (arrived === executions) {
        inProgress = (heap() - before) / executions;
        open();
      }
      await all;
      return "Done.";
    };
    const self = agent({ model, tools: [{ ...tool, run }] });
    const turns = await Promise.all(Array.from({ length: executions }, () => askAgent(self)));
    if (!turns.every(({ state }) => state.messages.length === 4)) throw new Error("An execution is incomplete.");
    turns.length = 0;
    await provider.exchanges(executions * steps);
    atRest.push(heap());
  }
  // The first repetitions create what is kept once, such as connections.
  const [first, last] = [atRest[2] ?? Number.NaN, atRest.at(-1) ?? Number.NaN];
  const grown = Math.max(0, last - first) / (executions * (repeats - 3));
  const shown = atRest.map((bytes) => `${Math.round(bytes / 1024)}`).join(", ");
  return [
    { what: "heap of an execution that waits for its tool", measured: kib(inProgress), unit: "KiB", runs: executions },
    {
      what: "heap that remains of an ended execution",
      measured: kib(grown),
      unit: "KiB",
      limit: remains,
      runs: executions * repeats,
      comparison: `KiB after each ${executions} at a time: ${shown}`,
    },
  ];
}

try {
  const rows = await measureStep();
  rows.push(...(await measureMemory()));
  process.exitCode = report("agents", rows);
} finally {
  provider.stop();
}
