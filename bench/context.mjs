// Measures the compaction of long conversations: the time for one compaction, and how much of what is sent is a prefix of the request
// before, so that a provider's prompt cache holds. The comparison is truncation, which removes the oldest messages for each request
// until the rest fits.
//
//   npm run bench -- context [--rounds 40] [--messages 10000]

import { parseArgs } from "node:util";

import { build } from "esbuild";

import { fromRoot } from "../scripts/lib/paths.mjs";
import { report } from "./support/report.mjs";
import { median } from "./support/statistics.mjs";

/** The functions under measurement, bundled for Node. */
const { outputFiles } = await build({
  stdin: {
    contents: `export * from "./compact.ts"; export * from "./projection.ts";`,
    resolveDir: fromRoot("src/core/context"),
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
const { compact, contextTokens, project, projectedTokens, wholeProjection } = await import(
  `data:text/javascript;base64,${Buffer.from(source).toString("base64")}`
);

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "40" }, messages: { type: "string", default: "10000" } },
});
const [rounds, count] = [Number(values.rounds), Number(values.messages)];
/** The budget in tokens, and what remains of it after a compaction. */
const [budget, target] = [32_000 * 0.8, 32_000 * 0.8 * 0.75];
const options = {
  target,
  keepFirst: 2,
  keepRecent: 10,
  toolOutputMaxLines: 50,
  recentFiles: 10,
  summaryTokens: null,
};
/** Milliseconds of one compaction, turns of the long conversation, and the share of its tokens that has to be a prefix. */
const [longest, turns, share] = [20, 200, 0.9];

const message = (id, role, text, more = {}) => {
  const parts = [{ type: "text", text }];
  return { id, role, parts, name: null, tool_call_id: null, result: null, ...more };
};

/** A conversation in which every turn calls a tool with a result of 60 lines. */
function conversation(length) {
  const messages = [];
  for (let turn = 0; messages.length < length; turn += 1) {
    const call = { type: "tool_call", id: `c${turn}`, name: "search", arguments: { query: `topic ${turn}` } };
    const result = Array.from({ length: 60 }, (_, line) => `${turn}.${line}: a line of a result`).join("\n");
    messages.push(
      message(`u${turn}`, "user", `Question ${turn}: what does the documentation say about topic ${turn}, and why?`),
      message(`a${turn}`, "assistant", `I search for topic ${turn}.`),
      message(`t${turn}`, "tool", result, {
        name: "search",
        tool_call_id: `c${turn}`,
        result: { status: "success", result },
      }),
      message(
        `b${turn}`,
        "assistant",
        `Topic ${turn} is explained in three places, ${"and so on, ".repeat(20)}at last.`,
      ),
    );
    messages.at(-3).parts.push(call);
  }
  return messages.slice(0, length);
}

function timeOfOne() {
  const messages = conversation(count);
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now();
    const projection = compact(messages, wholeProjection, options);
    project(messages, projection);
    times.push(performance.now() - begun);
  }
  return {
    what: `compaction of ${count} messages`,
    measured: median(times),
    unit: "ms",
    limit: longest,
    runs: rounds,
    comparison: `${Math.round(projectedTokens(messages, wholeProjection))} tokens to at most ${target}`,
  };
}

const tokensOf = (messages) => messages.reduce((sum, one) => sum + contextTokens(one, true), 0);

/** The share of all sent tokens that are a prefix of the request before. `next` gives the messages of a request. */
function prefixShare(next) {
  const messages = conversation(turns * 4);
  let [before, sent, same] = [[], 0, 0];
  for (let end = 1; end <= messages.length; end += 1) {
    // A request is made after a message of the user and after a result.
    if (messages[end - 1].role === "assistant") continue;
    const request = next(messages.slice(0, end));
    const text = request.map((one) => JSON.stringify(one));
    let equal = 0;
    while (equal < before.length && before[equal] === text[equal]) equal += 1;
    same += tokensOf(request.slice(0, equal));
    sent += tokensOf(request);
    before = text;
  }
  return same / sent;
}

function compacted() {
  let projection = wholeProjection;
  return (messages) => {
    if (projectedTokens(messages, projection) > budget) projection = compact(messages, projection, options);
    return project(messages, projection).messages;
  };
}

/** Removes the oldest messages until the rest fits, as a truncation that stores no position does. */
function truncated(messages) {
  let [start, tokens] = [0, tokensOf(messages)];
  while (tokens > budget) {
    tokens -= contextTokens(messages[start], true);
    start += 1;
  }
  while (messages[start]?.role === "tool") start += 1;
  return messages.slice(start);
}

const [ours, theirs] = [prefixShare(compacted()), prefixShare(truncated)];
const percent = (value) => Math.round(value * 1000) / 10;
process.exit(
  report("context", [
    timeOfOne(),
    {
      what: `sent tokens outside the prefix of the request before, ${turns} turns`,
      measured: percent(1 - ours),
      unit: "%",
      limit: percent(1 - share),
      runs: 1,
      comparison: `${percent(ours)} % are a prefix; truncation of the oldest messages: ${percent(theirs)} %`,
    },
  ]),
);
