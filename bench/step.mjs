// Measures the cost of a step without the model, at the provider: from the last byte of an answer that calls a tool to the first byte of
// the next request; and the time until a run's first request in a short and in a long thread.
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
/** How many messages are created at a time. */
const atOnce = 8;

const gapOf = ({ exchanges: [first, second] }) => (second?.arrived ?? Number.NaN) - (first?.written ?? Number.NaN);
const startOf = ({ sent, exchanges: [first] }) => (first?.arrived ?? Number.NaN) - sent;

/** The time between two requests, and how much longer it is than the floor's: the step itself. */
async function measureStep({ url, provider }) {
  const thread = await newThread(url, "tool");
  const socket = await openSocket(thread);
  const answers = await contest(
    {
      floor: askFloor(url, "tool", "bytes"),
      "package floor": askFloor(url, "tool", "package"),
      thread: askSocket(thread, socket),
    },
    { url, rounds, exchanges: () => provider.exchanges(2) },
  );
  socket.close();
  const whole = answers.thread.map(gapOf);
  const rows = ["floor", "package floor"].map((floor) => {
    const baseline = answers[floor].map(gapOf);
    const own = whole.map((gap, at) => gap - (baseline[at] ?? Number.NaN));
    return {
      what: `a step's own, above the ${floor} of its round`,
      measured: median(own),
      unit: "ms",
      limit: overhead,
      runs: rounds,
      comparison: `${median(whole)} ms (${spread(whole)}) − ${median(baseline)} ms (${spread(baseline)})`,
    };
  });
  return rows;
}

/** Creates a thread with so many messages. */
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
  code = report("step", [...(await measureStep(parts)), await measureStart(parts)]);
} finally {
  await parts.stop();
}
process.exit(code);
