// Measures the time to the first delta and to the end of a streamed answer at the client, and workerd's processor time until then: a thread
// over SSE and over WebSocket, compared with two floors. The scripted provider sends without pauses, so that only this server's work is
// measured.
//
//   npm run bench -- stream [--rounds 60]

import { parseArgs } from "node:util";

import { ensureInstall } from "../scripts/ensure-install.mjs";
import { askFloor, askSocket, askThread, contest, newThread, startContest } from "./support/contest.mjs";
import { wordsOf } from "./support/provider-wire.mjs";
import { report } from "./support/report.mjs";
import { openSocket } from "./support/socket-client.mjs";
import { median, ratio, spread } from "./support/statistics.mjs";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "60" } } });
const rounds = Number(values.rounds);
/** The highest ratio to a floor. The processor time has no limit compared with the floor that does not parse the answer. */
const allowed = 1.1;

const times = {
  "first delta": (answer) => answer.first - answer.sent,
  total: (answer) => answer.ended - answer.sent,
  "processor time": (answer) => answer.processor,
};

async function measure({ url, provider }, deltas) {
  const model = `text-${deltas}`;
  const [thread, followed] = [await newThread(url, model), await newThread(url, model)];
  const socket = await openSocket(followed);
  const answers = await contest(
    {
      floor: askFloor(url, model, "bytes"),
      "package floor": askFloor(url, model, "package"),
      SSE: askThread(thread),
      WebSocket: askSocket(followed, socket),
    },
    { url, rounds, text: wordsOf(deltas).join(""), exchanges: () => provider.exchanges(1) },
  );
  socket.close();
  const rows = [];
  for (const [what, timeOf] of Object.entries(times)) {
    const of = (way) => answers[way].map(timeOf);
    for (const floor of ["floor", "package floor"]) {
      for (const way of ["SSE", "WebSocket"]) {
        rows.push({
          what: `${what}, ${deltas} deltas, ${way} / ${floor}`,
          measured: ratio(median(of(way)), median(of(floor))),
          unit: "×",
          limit: what === "processor time" && floor === "floor" ? null : allowed,
          runs: rounds,
          comparison: `${median(of(way))} ms (${spread(of(way))}) / ${median(of(floor))} ms (${spread(of(floor))})`,
        });
      }
    }
  }
  return rows;
}

await ensureInstall();
const parts = await startContest();
let code = 1;
try {
  code = report("stream", [...(await measure(parts, 20)), ...(await measure(parts, 1000))]);
} finally {
  await parts.stop();
}
process.exit(code);
