// Measures streamed answers at the client: the time to the first delta and to the end, and workerd's processor time. A thread over SSE and over
// WebSocket is compared with three floors. The scripted provider sends without pauses, so that only this server's work is measured. Of many
// answers at once, which the provider sends with pauses as real models do, the processor time of one is compared.
//
//   npm run bench -- stream [--rounds 60]

import { parseArgs } from "node:util";

import { ensureInstall } from "../scripts/ensure-install.mjs";
import { askFloor, askSocket, askThread, contest, newThread, startContest } from "./support/contest.mjs";
import { measureCrowd } from "./support/paced-crowd.mjs";
import { piecesOf } from "./support/provider-wire.mjs";
import { report } from "./support/report.mjs";
import { openSocket } from "./support/socket-client.mjs";
import { median, ratio, spread } from "./support/statistics.mjs";
import { get } from "./support/stream-client.mjs";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "60" } } });
const rounds = Number(values.rounds);

const times = {
  "first delta": (answer) => answer.first - answer.sent,
  total: (answer) => answer.ended - answer.sent,
  "processor time": (answer) => answer.processor,
};

/** The limits of the ratios to the floor that writes each chunk, for a short and for a long answer. */
const chunkLimits = {
  5: { "first delta": 1.4, "processor time": 3 },
  1000: { total: 0.7, "processor time": 0.8 },
};

/** The highest ratio to another floor. The processor time has no limit compared with the floor that does not parse the answer. */
const limitOf = (floor, what, deltas) => {
  if (floor === "chunk floor") return chunkLimits[deltas]?.[what] ?? null;
  return what === "processor time" && floor === "floor" ? null : 1.1;
};

/** Asks the thread while the catalog is not written. */
const withoutCatalog = (url, ask) => async () => {
  await get(`${url}/catalog/off`);
  return ask();
};

async function measure({ url, provider }, deltas) {
  const model = `text-${deltas}`;
  const threads = [];
  for (let at = 0; at < 3; at++) threads.push(await newThread(url, model));
  const [thread, followed, uncatalogued] = threads;
  const socket = await openSocket(followed);
  const ways = {
    floor: askFloor(url, model, "bytes"),
    "chunk floor": askFloor(url, model, "chunks"),
    "package floor": askFloor(url, model, "package"),
    SSE: askThread(thread),
    WebSocket: askSocket(followed, socket),
  };
  // The work of the catalog's database is in the same process here. Deployed, it is in another service.
  if (deltas === 5) ways["SSE without catalog"] = withoutCatalog(url, askThread(uncatalogued));
  const answers = await contest(ways, {
    url,
    rounds,
    text: piecesOf(deltas).join(""),
    exchanges: async () => {
      await get(`${url}/catalog/on`);
      return provider.exchanges(1);
    },
  });
  socket.close();
  const rows = [];
  const measured = Object.keys(ways).filter((name) => !name.endsWith("floor"));
  for (const [what, timeOf] of Object.entries(times)) {
    const of = (way) => answers[way].map(timeOf);
    for (const floor of ["floor", "chunk floor", "package floor"]) {
      for (const way of measured) {
        rows.push({
          what: `${what}, ${deltas} deltas, ${way} / ${floor}`,
          measured: ratio(median(of(way)), median(of(floor))),
          unit: "×",
          limit: way.endsWith("catalog") ? null : limitOf(floor, what, deltas),
          runs: rounds,
          comparison: `${median(of(way))} ms (${spread(of(way))}) / ${median(of(floor))} ms (${spread(of(floor))})`,
        });
      }
    }
  }
  // A thread that joins no deltas has an event for each of them.
  const events = (way) => median(answers[way].map((answer) => answer.events));
  for (const way of measured) {
    rows.push({
      what: `events, ${deltas} deltas, ${way} / chunk floor`,
      measured: ratio(events(way), events("chunk floor")),
      unit: "×",
      limit: deltas === 1000 ? 0.5 : null,
      runs: rounds,
      comparison: `${events(way)} / ${events("chunk floor")}`,
    });
  }
  return rows;
}

await ensureInstall();
const parts = await startContest();
let code = 1;
try {
  const rows = [];
  for (const deltas of [5, 20, 1000]) rows.push(...(await measure(parts, deltas)));
  code = report("stream", [...rows, ...(await measureCrowd(parts))]);
} finally {
  await parts.stop();
}
process.exit(code);
