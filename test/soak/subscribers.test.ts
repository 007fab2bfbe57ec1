// Compares a thread with a thousand subscribers to a thread with one, on a real server, in turns: no subscriber loses
// an event, the run does not wait for subscribers, and the server's memory does not grow beyond a bound. The model
// server and the subscribers run in processes of their own.

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { foldAll } from "#contract/fold.ts";
import { runSchema } from "#contract/run.ts";
import { acknowledgeWindow } from "#contract/stream-limits.ts";

import { ApiClient } from "../support/http-client/api-client.ts";
import { settledMessages } from "../support/http-client/transcript.ts";
import { speaker, startCrowdServer } from "./crowd/crowd-server.ts";
import type { CrowdServer } from "./crowd/crowd-server.ts";
import { answerOf, startDeltaModel } from "./crowd/delta-model.ts";
import type { DeltaModel } from "./crowd/delta-model.ts";
import { ReaderProcess } from "./crowd/reader-process.ts";
import type { Crowd } from "./crowd/reader-process.ts";
import { describeRounds, ratioOf, rounds } from "./crowd/rounds.ts";
import type { Timed } from "./crowd/rounds.ts";

const subscribers = 1000;
const deltas = 1000;
/** How many times longer a run with a thousand subscribers may take than a run with one. */
const allowedRatio = 1.5;
/** MiB that the server's processes may grow by while they send to a thousand subscribers. */
const allowedGrowth = 64;
const stalledCount = 50;
/**
 * MiB of the stalled readers' windows: in the thread's process, in the front process, and on the way to each of them.
 */
const allowedForStalled = (4 * stalledCount * acknowledgeWindow) / 1024 / 1024;

/** A slow machine needs several minutes for a test. */
const timeLimit = 600_000;

let model: DeltaModel;
let readers: ReaderProcess;
let server: CrowdServer;
let api: ApiClient;

beforeAll(async () => {
  model = await startDeltaModel();
  readers = new ReaderProcess();
  server = await startCrowdServer(model.url);
  api = new ApiClient(server.url);
});
afterAll(async () => {
  await server?.stop();
  readers?.close();
  model?.close();
});

interface Watched {
  id: string;
  crowd: Crowd;
}

function streamOf(id: string): string {
  return `${server.url.replace("http", "ws")}/api/threads/${id}/stream?after=0`;
}

async function watched(count: number): Promise<Watched> {
  const { id } = await api.createThread(speaker);
  return { id, crowd: await readers.crowd(streamOf(id), count) };
}

async function converse({ id, crowd }: Watched, text: string): Promise<Timed> {
  const begun = performance.now();
  const { run } = await api.post(id, text);
  await crowd.ended();
  const received = performance.now() - begun;
  const { started_at, ended_at } = await api.ask(runSchema, "GET", `/api/threads/${id}/runs/${run.id}`);
  if (started_at === null || ended_at === null)
    throw new Error(`Run ${run.id} ended for its readers, and is not stored as ended`);
  return { run: (ended_at - started_at) / 1000, received };
}

function mib(value: number): string {
  return `${value.toFixed(0)} MiB`;
}

describe(`${String(subscribers)} subscribers of one thread`, () => {
  let one: Watched;
  let many: Watched;

  beforeAll(async () => {
    one = await watched(1);
    many = await watched(subscribers);
    // Warms the runtime up: its memory grows with the first runs, which must not count.
    for (let round = 0; round < 10; round += 1) await converse(one, `deltas ${String(deltas)}`);
    for (let round = 0; round < 2; round += 1) await converse(many, `deltas ${String(deltas)}`);
  });
  afterAll(async () => {
    await one?.crowd.leave();
    await many?.crowd.leave();
  });

  // The duration of short runs varies by half, so many of them are compared.
  it.each([
    { how: "deltas without pauses", pause: 0, most: 31, seconds: 30 },
    { how: "deltas 2 ms apart", pause: 2, most: 7, seconds: 20 },
  ])(
    "FOLLOW5 Many subscribers do not slow down their thread's run: $how",
    async ({ how, pause, ...turns }) => {
      const text = `deltas ${String(deltas)} pause ${String(pause)}`;
      const done = await rounds(turns, { one: () => converse(one, text), many: () => converse(many, text) });
      console.log(`${how}, ${describeRounds(done, subscribers)}`);
      expect(ratioOf(done)).toBeLessThanOrEqual(allowedRatio);
    },
    timeLimit,
  );

  it(
    "FOLLOW6 Many subscribers receive everything once and in order",
    async () => {
      await many.crowd.keep();
      await converse(many, `deltas ${String(deltas)}`);
      await converse(many, `deltas ${String(deltas)} pause 1`);
      const messages = (await api.messages(many.id)).slice(-4);
      expect(messages.at(-1)?.content).toBe(answerOf(deltas));
      let listeners = 0;
      for await (const events of many.crowd.received()) {
        listeners += 1;
        const numbers = events.map(({ seq }) => seq);
        expect(events.slice(1).map(({ prev }) => prev)).toEqual(numbers.slice(0, -1));
        expect(events.filter(({ type }) => type === "run_end")).toHaveLength(2);
        expect(settledMessages(foldAll(events).messages)).toEqual(messages);
        let text = "";
        for (const event of events) {
          if (event.type !== "text_delta" || event.message_id !== messages.at(-1)?.id) continue;
          expect(event.offset).toBe(text.length);
          text += event.delta;
        }
        expect(text).toBe(answerOf(deltas));
      }
      expect(listeners).toBe(subscribers);
    },
    timeLimit,
  );

  it(
    "FOLLOW7 Runs with many subscribers grow the server's memory by less than 64 MiB",
    async () => {
      const before = server.weight();
      let peak = before;
      const sampling = setInterval(() => (peak = Math.max(peak, server.weight())), 50);
      for (let round = 0; round < 10; round += 1) await converse(many, `deltas ${String(deltas)}`);
      clearInterval(sampling);
      const after = server.weight();
      console.log(`memory of the server: ${mib(before)} before ten runs, ${mib(peak)} at most, ${mib(after)} after`);
      expect(peak - before).toBeLessThan(allowedGrowth);
    },
    timeLimit,
  );
});

describe("subscribers that stop reading", () => {
  it(
    "FOLLOW8 Subscribers that stop reading delay no other subscriber, and use only their window",
    async () => {
      const reading = await watched(1);
      const { id } = reading;
      const stalled = await readers.crowd(streamOf(id), stalledCount);
      const text = `deltas ${String(deltas)} length 500`;
      // Warms the runtime up with such answers while the readers still read.
      for (let round = 0; round < 5; round += 1) {
        await Promise.all([converse(reading, text), stalled.ended()]);
      }
      await stalled.stall();
      const silent = await readers.crowd(streamOf(id), 1, true);
      const before = server.weight();
      let code: number | null = null;
      const closed = silent.closed().then((closedWith) => (code = closedWith));
      for (let round = 0; round < 10 && code === null; round += 1) await converse(reading, text);
      const after = server.weight();
      console.log(`${String(stalledCount)} stalled subscribers: ${mib(before)} before, ${mib(after)} after`);
      await closed;
      expect(code).toBe(4408);
      for (const { bytes, largest } of await silent.sizes())
        expect(bytes).toBeLessThanOrEqual(acknowledgeWindow + largest);
      expect(after - before).toBeLessThan(allowedForStalled);
      await reading.crowd.keep();
      await converse(reading, "deltas 10");
      for await (const events of reading.crowd.received()) {
        expect(settledMessages(foldAll(events).messages)).toEqual((await api.messages(id)).slice(-2));
      }
      for (const crowd of [reading.crowd, stalled]) await crowd.leave();
    },
    timeLimit,
  );
});
