// Compares a long thread with a short one, alternately in one run: a page of messages, and a whole turn with a model that answers at
// once. The result is a ratio, because a thread must not become slower as it grows.
//
//   npm run bench -- long-thread [--messages 10000] [--rounds 60]

import { parseArgs } from "node:util";

import { ensureInstall } from "../scripts/ensure-install.mjs";
import { startBenchServer } from "../scripts/lib/bench-server.mjs";
import { report } from "./support/report.mjs";
import { median, ratio, spread } from "./support/statistics.mjs";

const { values } = parseArgs({
  options: { messages: { type: "string", default: "10000" }, rounds: { type: "string", default: "60" } },
});
const [short, long, rounds] = [100, Number(values.messages), Number(values.rounds)];
/** The highest ratio of the long thread's time to the short one's. */
const allowed = 1.5;

await ensureInstall();
const server = await startBenchServer();

async function call(method, path, body) {
  const answer = await fetch(`${server.url}${path}`, {
    method,
    headers: { "content-type": "application/json", "sec-fetch-site": "none" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

/** Creates a thread with `count` messages. Eight requests are sent at a time. */
async function threadOf(count, agent) {
  const { id } = await call("POST", "/api/threads", { agent_id: agent });
  const content = "A line of a long conversation, as long as people write.";
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await call("POST", `/api/threads/${id}/messages`, { content, run: false });
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return id;
}

async function timed(action) {
  const begun = performance.now();
  await action();
  return performance.now() - begun;
}

/** Measures both threads alternately, so that other load on the machine affects both. */
async function compare(what, action) {
  const times = { short: [], long: [] };
  for (let round = 0; round < rounds; round++) {
    for (const name of ["short", "long"]) times[name].push(await timed(() => action(threads[name])));
  }
  return {
    what: `${what}, ${long} / ${short} messages`,
    measured: ratio(median(times.long), median(times.short)),
    unit: "×",
    limit: allowed,
    runs: rounds,
    comparison: `${median(times.long)} ms (${spread(times.long)}) / ${median(times.short)} ms (${spread(times.short)})`,
  };
}

const threads = { short: "", long: "" };
let code = 0;
try {
  threads.short = await threadOf(short, "own_run");
  threads.long = await threadOf(long, "own_run");
  const page = await compare("GET messages?limit=50", (id) => call("GET", `/api/threads/${id}/messages?limit=50`));
  const last = await compare("GET messages?limit=50&order=desc", (id) =>
    call("GET", `/api/threads/${id}/messages?limit=50&order=desc`),
  );
  const turn = await compare("a turn, from POST to its rest", (id) =>
    call("POST", `/api/threads/${id}/messages?wait=true`, { content: "Still there?" }),
  );
  code = report("long-thread", [page, last, turn]);
} catch (error) {
  console.error(error.message);
  code = 1;
} finally {
  await server.stop();
}
process.exit(code);
