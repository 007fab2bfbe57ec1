// Measures many answers at once, whose provider pauses between two chunks: the processor time of one answer, and the time until all have
// ended. The ways are measured alternately, each with as many threads or objects as there are answers.

import { setTimeout as sleep } from "node:timers/promises";

import { afterwardsMs, askFloor, askSocket, askThread, newThread } from "./contest.mjs";
import { now } from "./now.mjs";
import { workerdProcessor } from "./processor-time.mjs";
import { piecesOf } from "./provider-wire.mjs";
import { openSocket } from "./socket-client.mjs";
import { median, ratio, spread } from "./statistics.mjs";

const turns = 40;
const deltas = 200;
const pauseMs = 10;

/** Rounds that are counted, after those that warm up. */
const rounds = 9;
const warmUp = 2;

/** The highest processor time of a turn, compared with that of the floor that writes each chunk. */
const limits = { SSE: 1.6, WebSocket: 1.8 };

const all = (create) => Promise.all(Array.from({ length: turns }, (_, at) => create(at)));

/**
 * @param {{ url: string, provider: Awaited<ReturnType<typeof import("./provider.mjs").startProvider>> }} parts
 * @returns {Promise<import("./report.mjs").Row[]>}
 */
export async function measureCrowd({ url, provider }) {
  const model = `paced-${deltas}-${pauseMs}`;
  const threads = await all(() => newThread(url, model));
  const followed = await all(() => newThread(url, model));
  const sockets = await Promise.all(followed.map((thread) => openSocket(thread)));
  const ways = {
    floor: await all((at) => askFloor(url, model, "chunks", {}, `chunks${at}`)),
    SSE: threads.map((thread) => askThread(thread)),
    WebSocket: followed.map((thread, at) => askSocket(thread, sockets[at])),
  };
  const text = piecesOf(deltas).join("");
  const processor = workerdProcessor() ?? (() => 0);
  const measured = { floor: [], SSE: [], WebSocket: [] };
  const names = Object.keys(ways);
  for (let round = 0; round < warmUp + rounds; round++) {
    for (let at = 0; at < names.length; at++) {
      const name = names[(round + at) % names.length];
      const [sent, before] = [now(), processor()];
      const answers = await Promise.all(ways[name].map((ask) => ask()));
      const total = now() - sent;
      await sleep(afterwardsMs);
      const spent = (processor() - before) / turns;
      if (answers.some((answer) => answer.text !== text)) throw new Error(`${name} lost or changed text.`);
      await provider.exchanges(turns);
      if (round >= warmUp) measured[name].push({ total, processor: spent });
    }
  }
  for (const socket of sockets) socket.close();
  const rowOf = (way, what, field, limit) => {
    const of = (name) => measured[name].map((one) => one[field]);
    return {
      what: `${what}, ${turns} x ${deltas} deltas, ${way} / chunk floor`,
      measured: ratio(median(of(way)), median(of("floor"))),
      unit: "×",
      limit,
      runs: rounds,
      comparison: `${median(of(way))} ms (${spread(of(way))}) / ${median(of("floor"))} ms (${spread(of("floor"))})`,
    };
  };
  return Object.entries(limits).flatMap(([way, limit]) => [
    rowOf(way, "processor time of a turn", "processor", limit),
    rowOf(way, "total", "total", null),
  ]);
}
