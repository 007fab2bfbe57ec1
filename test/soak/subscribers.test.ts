// A thread with a thousand subscribers on a real server: no subscriber loses an event, and none waits for those that stop
// reading. The model server and the subscribers run in processes of their own. `npm run bench -- subscribers` measures the
// duration of such runs and the memory of the runtime.

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { foldAll } from "#contract/fold.ts";
import { acknowledgeWindow } from "#contract/stream-limits.ts";

import { ApiClient } from "../support/http-client/api-client.ts";
import { settledMessages } from "../support/http-client/transcript.ts";
import { speaker, startCrowdServer } from "./crowd/crowd-server.ts";
import type { CrowdServer } from "./crowd/crowd-server.ts";
import { answerOf, startDeltaModel } from "./crowd/delta-model.ts";
import type { DeltaModel } from "./crowd/delta-model.ts";
import { ReaderProcess } from "./crowd/reader-process.ts";
import type { Crowd } from "./crowd/reader-process.ts";

const subscribers = 1000;
const deltas = 1000;
const stalledCount = 50;
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

/** Posts a message and resolves when its run has ended for every subscriber. */
async function converse({ id, crowd }: Watched, text: string): Promise<void> {
  await api.post(id, text);
  await crowd.ended();
}

describe(`${String(subscribers)} subscribers of one thread`, () => {
  let many: Watched;

  beforeAll(async () => {
    many = await watched(subscribers);
  });
  afterAll(async () => {
    await many?.crowd.leave();
  });

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
});

describe("subscribers that stop reading", () => {
  it(
    "FOLLOW8 Subscribers that stop reading delay no other subscriber, and are sent no more than their window",
    async () => {
      const reading = await watched(1);
      const { id } = reading;
      const stalled = await readers.crowd(streamOf(id), stalledCount);
      const text = `deltas ${String(deltas)} length 500`;
      // The readers read one answer before they stop.
      await Promise.all([converse(reading, text), stalled.ended()]);
      await stalled.stall();
      const silent = await readers.crowd(streamOf(id), 1, true);
      let code: number | null = null;
      const closed = silent.closed().then((closedWith) => (code = closedWith));
      for (let round = 0; round < 10 && code === null; round += 1) await converse(reading, text);
      await closed;
      expect(code).toBe(4408);
      for (const { bytes, largest } of await silent.sizes())
        expect(bytes).toBeLessThanOrEqual(acknowledgeWindow + largest);
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
