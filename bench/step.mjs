// Measures the cost of a step without the model, at the provider: from the last byte of an answer that calls a tool to the first byte of
// the next request; and the time until a run's first request in a short and in a long thread.
//
// The cost of a step is measured in a new thread, and in a long one whose prompt includes the conversation and whose model has a window of
// 32,000 tokens. For the long one there are two pairs of floors. One pair sends as many messages as the thread, of as many bytes together.
// The other pair sends one message of as many bytes.
//
//   npm run bench -- step [--rounds 60] [--messages 10000]

import { parseArgs } from "node:util";

import { ensureInstall } from "../scripts/ensure-install.mjs";
import { askFloor, askSocket, askThread, contest, newThread, startContest } from "./support/contest.mjs";
import { report } from "./support/report.mjs";
import { openSocket } from "./support/socket-client.mjs";
import { median, ratio, spread } from "./support/statistics.mjs";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "60" }, messages: { type: "string", default: "10000" } },
});
const [rounds, short, long] = [Number(values.rounds), 100, Number(values.messages)];
/** Milliseconds that a step itself may take. */
const overhead = 3;
/** The highest ratio to the short thread. */
const growth = 1.5;
/** Bytes of a message in a request, in addition to its text. */
const messageBytes = JSON.stringify({ role: "user", content: "" }).length + 1;
/** How many messages are created at a time. */
const atOnce = 8;

const gapOf = ({ exchanges: [first, second] }) => (second?.arrived ?? Number.NaN) - (first?.written ?? Number.NaN);
const startOf = ({ sent, exchanges: [first] }) => (first?.arrived ?? Number.NaN) - sent;

/**
 * The time between two requests of a thread, and how much longer it is than a floor's in the same round: the step itself. `sent` has the
 * requests of the floors, by the suffixes of the floors' names.
 */
async function measureStep({ url, provider }, { what, thread, sent }) {
  const socket = await openSocket(thread);
  const floors = Object.fromEntries(
    Object.entries(sent).flatMap(([name, request]) => [
      [`floor${name}`, askFloor(url, "tool", "bytes", request)],
      [`package floor${name}`, askFloor(url, "tool", "package", request)],
    ]),
  );
  const answers = await contest(
    { ...floors, thread: askSocket(thread, socket) },
    { url, rounds, exchanges: () => provider.exchanges(2) },
  );
  socket.close();
  const whole = answers.thread.map(gapOf);
  return Object.keys(floors).map((floor) => {
    const baseline = answers[floor].map(gapOf);
    const own = whole.map((gap, at) => gap - (baseline[at] ?? Number.NaN));
    return {
      what: `${what}, above the ${floor}`,
      measured: median(own),
      unit: "ms",
      limit: overhead,
      runs: rounds,
      comparison: `${median(whole)} ms (${spread(whole)}) − ${median(baseline)} ms (${spread(baseline)})`,
    };
  });
}

/** A step in a new thread. */
async function measureShortStep(parts) {
  return measureStep(parts, { what: "a step's own", thread: await newThread(parts.url, "tool"), sent: { "": {} } });
}

/** A step in a thread whose requests have the newest of its messages. */
async function measureLongStep(parts) {
  const thread = await threadOf(parts.url, long, "tool-32k");
  // The first run compacts the conversation.
  await fetchJson(`${thread}/messages?wait=true`, { content: "Go on." });
  await parts.provider.exchanges(2);
  const { messages, tokens } = await readJson(`${thread}/context`);
  const count = messages.length;
  const sent = {
    "": { count, content: "x".repeat(Math.round((tokens * 4) / count)) },
    " of one message": { content: "x".repeat(tokens * 4 + count * messageBytes) },
  };
  return measureStep(parts, { what: `the same with ${long} messages, ${count} sent`, thread, sent });
}

/** Creates a thread with `count` messages. */
async function threadOf(url, count, agent) {
  const thread = await newThread(url, agent);
  const content = "A line of a long conversation, as long as people write.";
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await fetchJson(`${thread}/messages`, { content, run: false });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return thread;
}

async function fetchJson(url, body) {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
}

async function readJson(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function measureStart({ url, provider }) {
  const threads = { short: await threadOf(url, short, "text-20"), long: await threadOf(url, long, "text-20") };
  const answers = await contest(
    { short: askThread(threads.short), long: askThread(threads.long) },
    { url, rounds, exchanges: () => provider.exchanges(1) },
  );
  const [few, many] = [answers.short.map(startOf), answers.long.map(startOf)];
  return {
    what: `step start, ${long} / ${short} messages`,
    measured: ratio(median(many), median(few)),
    unit: "×",
    limit: growth,
    runs: rounds,
    comparison: `${median(many)} ms (${spread(many)}) / ${median(few)} ms (${spread(few)})`,
  };
}

await ensureInstall();
const parts = await startContest();
let code = 1;
try {
  code = report("step", [
    ...(await measureShortStep(parts)),
    ...(await measureLongStep(parts)),
    await measureStart(parts),
  ]);
} finally {
  await parts.stop();
}
process.exit(code);
