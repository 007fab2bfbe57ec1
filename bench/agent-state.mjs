// Measures states of agents in long conversations: the time of an operation and of the conversion to JSON, and the memory of all
// states of a conversation. If each state had a list of its own, the memory of a state would be that of the whole list.
//
//   npm run bench -- agent-state [--messages 10000] [--rounds 20]

import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { build } from "esbuild";

import { fromRoot } from "../scripts/lib/paths.mjs";
import { report } from "./support/report.mjs";
import { median } from "./support/statistics.mjs";

const { values } = parseArgs({
  options: { messages: { type: "string", default: "10000" }, rounds: { type: "string", default: "20" } },
});
const [count, rounds] = [Number(values.messages), Number(values.rounds)];

/** The functions under measurement, bundled for Node. */
const { outputFiles } = await build({
  stdin: {
    contents: `export { AgentState } from "./uap/agent-state.ts"; export * from "./upp/upp-message.ts";`,
    resolveDir: fromRoot("src/facade"),
    loader: "ts",
  },
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  write: false,
  logLevel: "error",
});
const source = outputFiles[0]?.text ?? "";
const { AgentState, AssistantMessage, ToolResultMessage, UserMessage } = await import(
  `data:text/javascript;base64,${Buffer.from(source).toString("base64")}`
);

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

/** The message at a place of a conversation in which every answer calls a tool. */
function message(place) {
  const call = { toolCallId: `c${place}`, toolName: "search", arguments: { query: `topic ${place}` } };
  const text = `Text ${place}: ${"some words of an answer ".repeat(5)}`;
  if (place % 4 === 1) return new AssistantMessage(text, [call]);
  if (place % 4 === 2) return new ToolResultMessage([{ toolCallId: `c${place - 1}`, result: { lines: [text] } }]);
  return place % 4 === 0 ? new UserMessage(text) : new AssistantMessage(text);
}

const messages = Array.from({ length: count }, (_, place) => message(place));

/** The median of the milliseconds of processor time of `work`. Other work on the machine does not count. */
function timeOf(work) {
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const begun = process.cpuUsage();
    work(round);
    const { user, system } = process.cpuUsage(begun);
    times.push((user + system) / 1000);
  }
  return Number(median(times).toFixed(3));
}

/** The bytes of memory of each state of a conversation that is built message by message, with all its states in use and read once. */
function bytesOfState() {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const states = [AgentState.initial()];
  for (const one of messages) {
    const next = states.at(-1).withMessage(one);
    if (next.messages.length !== states.length) throw new Error("A message is missing.");
    states.push(next);
  }
  collectGarbage();
  const bytes = (process.memoryUsage().heapUsed - before) / count;
  if (states.length !== count + 1) throw new Error("A state is missing.");
  return Math.round(bytes);
}

const state = messages.reduce((built, one) => built.withMessage(one), AgentState.initial());
const { messages: list } = state;
const text = JSON.stringify(state);
if (AgentState.fromJSON(JSON.parse(text)).messages.length !== count) throw new Error("A message is missing.");
const operations = {
  withMessage: () => state.withMessage(messages[0]),
  withContext: () => state.withContext(list),
  "withMessage, and its messages read": () => state.withMessage(messages[0]).messages,
  withMetadata: (round) => state.withMetadata("round", round),
};
const rows = [
  ...Object.entries(operations).map(([name, work]) => ({
    what: `${name} of a state with ${count} messages`,
    measured: timeOf(work),
    unit: "ms",
    limit: 1,
    runs: rounds,
  })),
  { what: `toJSON of ${count} messages`, measured: timeOf(() => state.toJSON()), unit: "ms", limit: 100, runs: rounds },
  {
    what: `text of ${count} messages: toJSON and JSON.stringify`,
    measured: timeOf(() => JSON.stringify(state)),
    unit: "ms",
    limit: 100,
    comparison: `${Math.round(text.length / 1024)} KiB`,
    runs: rounds,
  },
  {
    what: `fromJSON of ${count} messages`,
    measured: timeOf(() => AgentState.fromJSON(JSON.parse(text))),
    unit: "ms",
    runs: rounds,
  },
  {
    what: `memory of each of ${count} states of a conversation, with their messages read`,
    measured: bytesOfState(),
    unit: "bytes",
    limit: 1024,
  },
];
process.exit(report("agent-state", rows));
