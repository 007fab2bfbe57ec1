// Uploads through the whole Worker that stop sending: how long other uploads wait for them, and that the thread itself does not.

import { runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";

import { crowdedPieceMs, uploadPieceMs } from "#thread/method/upload-stream.ts";

import { pattern } from "../store/files/file-stage.ts";
import { begunTimers, ring, ringByHand, setClockRight, waitingFor } from "../worker/clock.ts";
import { scripts } from "../worker/definitions.ts";
import { fileFunctions, fileSettings } from "../worker/file-works.ts";
import { waitFor } from "./team-driver.ts";
import { converse, newThread } from "./thread-driver.ts";
import { Files } from "./thread-files-client.ts";

const chunk = 1_835_008;
/** The number of uploads that are stored at a time. */
const places = 3;

const inObject = <T>(id: string, work: (storage: DurableObjectStorage) => T): Promise<T> =>
  runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), (_, { storage }) => work(storage));

/** An upload that sends its first bytes and then nothing, until the test uses its writer. */
function upload(id: string, path: string, first: Uint8Array<ArrayBuffer>) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const url = `http://localhost/api/threads/${id}/files${path}`;
  const answer = exports.default.fetch(new Request(url, { method: "PUT", body: readable }));
  const writer = writable.getWriter();
  // The bytes are read when the upload has its turn, and refused when it has ended.
  writer.write(first).catch(() => undefined);
  writer.closed.catch(() => undefined);
  return { answer, writer };
}

/** Waits until this many uploads wait for their next bytes. */
async function standingStill(id: string, count: number): Promise<void> {
  await waitFor(async () => (await inObject(id, () => waitingFor(id, uploadPieceMs))) === count);
}

/** Lets the time limit of waiting uploads pass. */
const timeIsUp = (id: string): Promise<void> => inObject(id, () => ring(id, uploadPieceMs));

async function refusalOf(answer: Promise<Response>): Promise<unknown> {
  const response = await answer;
  const { error } = await response.json<{ error: unknown }>();
  return { status: response.status, error };
}

const stalled = {
  status: 400,
  error: {
    code: "invalid_request",
    message: "The body came slower than 65536 bytes in 30 s; nothing was written.",
    details: { limit_ms: 30_000, limit_bytes: 65_536 },
  },
};

const slowInACrowd = "The body came slower than 65536 bytes in 5 s while other uploads waited; nothing was written.";
const crowdedDetails = { limit_ms: 5000, limit_bytes: 65_536 };

/** A thread whose uploads reach their time limit when a test decides, so that a slow machine ends none of them. */
async function newThreadByHand(): Promise<string> {
  const id = await newThread("filer");
  ringByHand(id);
  return id;
}

afterEach(() => {
  delete fileSettings.bucket;
  setClockRight();
});

describe("an upload that sends nothing", () => {
  it("FHTTP21 Uploads that send nothing are refused with an error that states the time limit, and the old file is kept", async () => {
    fileSettings.bucket = null;
    const id = await newThreadByHand();
    const files = new Files(id);
    await files.put("/file", "old");
    const rows = () =>
      inObject(id, ({ sql }) =>
        ["file_chunk", "file_garbage"].map((table) => sql.exec(`SELECT count(*) AS n FROM ${table}`).one()["n"]),
      );
    const { answer } = upload(id, "/file", pattern(3 * chunk));
    await waitFor(async () => Number((await rows())[0]) >= 2);
    await standingStill(id, 1);
    await timeIsUp(id);
    expect(await refusalOf(answer)).toEqual(stalled);
    expect(await rows()).toEqual([0, 0]);
    expect(await (await files.get("/file")).text()).toBe("old");
    expect(await inObject(id, () => waitingFor(id, uploadPieceMs))).toBe(0);
  });

  it("FHTTP21 Uploads that send nothing give their slots to waiting uploads, in order", async () => {
    const id = await newThreadByHand();
    const first = Array.from({ length: places }, (_, at) => upload(id, `/first-${at}`, pattern(10)));
    await standingStill(id, places);
    const late = upload(id, "/late", pattern(20));
    void late.writer.close();
    const last = upload(id, "/last", pattern(30));
    await timeIsUp(id);
    for (const { answer } of first) expect(await refusalOf(answer)).toEqual(stalled);
    expect((await late.answer).status).toBe(201);
    await standingStill(id, 1);
    await last.writer.close();
    expect((await last.answer).status).toBe(201);
    expect(await new Files(id).stats()).toEqual({ fileCount: 2, directoryCount: 0, totalSize: 50 });
  });

  it("FHTTP24 Uploads that send nothing lose their slots after five seconds while other uploads wait, and a fast upload is stored", async () => {
    const id = await newThreadByHand();
    const slow = Array.from({ length: 2 * places + 2 }, (_, at) => upload(id, `/slow-${at}`, pattern(10)));
    await standingStill(id, places);
    // The last upload waits for all of the others.
    const honest = upload(id, "/honest", pattern(20));
    void honest.writer.close();
    const tooSlow = { ...stalled, error: { ...stalled.error, message: slowInACrowd, details: crowdedDetails } };
    // Requests that are sent together arrive in any order.
    const refusals: unknown[] = [];
    for (const { answer } of slow) void refusalOf(answer).then((refusal) => refusals.push(refusal));
    for (const wave of [1, 2]) {
      await standingStill(id, places);
      await inObject(id, () => ring(id, crowdedPieceMs));
      await waitFor(() => refusals.length >= wave * places);
    }
    expect(refusals).toEqual(Array.from({ length: 2 * places }, () => tooSlow));
    expect((await honest.answer).status).toBe(201);
    // No other upload waits any more: the last two have thirty seconds again.
    await standingStill(id, 2);
    await inObject(id, () => ring(id, crowdedPieceMs));
    await standingStill(id, 2);
    await timeIsUp(id);
    await waitFor(() => refusals.length >= slow.length);
    expect(refusals.slice(2 * places)).toEqual([stalled, stalled]);
  });

  it("FHTTP24 Uploads wait in a bounded queue, and more are refused at once with Retry-After", async () => {
    const id = await newThreadByHand();
    const slow = Array.from({ length: places + 8 }, (_, at) => upload(id, `/slow-${at}`, pattern(10)));
    await standingStill(id, places);
    const more = upload(id, "/more", pattern(10));
    const refused = await more.answer;
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "10"]);
    expect(await refused.json()).toMatchObject({ error: { code: "rate_limited" } });
    for (let left = slow.length; left > 0; left -= places) {
      await standingStill(id, Math.min(left, places));
      await timeIsUp(id);
    }
    for (const { answer } of slow) expect((await answer).status).toBe(400);
    const after = upload(id, "/after", pattern(10));
    await after.writer.close();
    expect((await after.answer).status).toBe(201);
  });

  it("FHTTP23 Uploads that send nothing do not block a run that writes files", async () => {
    const id = await newThreadByHand();
    const uploads = Array.from({ length: 2 * places }, (_, at) => upload(id, `/${at}`, pattern(10)));
    await standingStill(id, places);
    const text = "long ".repeat(100_000);
    fileFunctions.set("long", () => Promise.resolve(text));
    scripts.set("file", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "work_files", arguments: { name: "long" } }] } : { text: "done" },
    );
    const events = await converse(id, "file it");
    const end = events.find((event) => event.type === "tool_execution_end");
    expect(end?.result.attachments).toMatchObject([{ size: text.length + 2 }]);
    expect(await inObject(id, () => waitingFor(id, uploadPieceMs))).toBe(places);
    await timeIsUp(id);
    await standingStill(id, places);
    await timeIsUp(id);
    for (const { answer } of uploads) expect(await refusalOf(answer)).toEqual(stalled);
  });
});

describe("an upload that sends some bytes", () => {
  /** Sends this many bytes in eight parts. Resolves after the thread's object has read them. */
  async function send({ writer }: ReturnType<typeof upload>, bytes: number): Promise<void> {
    for (let part = 0; part < 8; part++) {
      await writer.write(pattern(Math.floor((bytes + part) / 8)));
    }
  }

  it("FHTTP21 An upload that sends one byte less than 64 KiB in 30 s is refused with the limit in the error, and the old file is kept", async () => {
    fileSettings.bucket = null;
    const id = await newThreadByHand();
    const files = new Files(id);
    await files.put("/file", "old");
    const slow = upload(id, "/file", pattern(1));
    await standingStill(id, 1);
    const limit = await inObject(id, () => begunTimers(id, uploadPieceMs));
    await send(slow, 65_534);
    expect(limit.remaining()).toBe(1);
    await inObject(id, () => limit.ring());
    expect(await refusalOf(slow.answer)).toEqual(stalled);
    expect(await (await files.get("/file")).text()).toBe("old");
  });

  it("FHTTP21 An upload that sends 64 KiB in 30 s has another 30 s for its next bytes", async () => {
    const id = await newThreadByHand();
    const steady = upload(id, "/file", pattern(1));
    for (let piece = 0; piece < 3; piece++) {
      await standingStill(id, 1);
      const limit = await inObject(id, () => begunTimers(id, uploadPieceMs));
      await send(steady, piece === 0 ? 65_535 : 65_536);
      await waitFor(async () => (await inObject(id, () => limit.remaining())) === 0);
    }
    await steady.writer.close();
    expect((await steady.answer).status).toBe(201);
    expect(await new Files(id).stats()).toEqual({ fileCount: 1, directoryCount: 0, totalSize: 3 * 65_536 });
  });

  it("FHTTP24 While other uploads wait, an upload that sends one byte less than 64 KiB in 5 s is refused with the limit in the error", async () => {
    const id = await newThreadByHand();
    const slow = Array.from({ length: places }, (_, at) => upload(id, `/slow-${at}`, pattern(1)));
    await standingStill(id, places);
    const waiting = upload(id, "/waiting", pattern(20));
    void waiting.writer.close();
    const limit = await inObject(id, () => begunTimers(id, crowdedPieceMs));
    for (const one of slow) await send(one, 65_534);
    expect(limit.remaining()).toBe(places);
    const refusals: unknown[] = [];
    for (const { answer } of slow) void refusalOf(answer).then((refusal) => refusals.push(refusal));
    // The bytes may arrive before the upload that waits.
    await waitFor(async () => {
      await inObject(id, () => ring(id, crowdedPieceMs));
      return refusals.length === places;
    });
    const tooSlow = { ...stalled, error: { ...stalled.error, message: slowInACrowd, details: crowdedDetails } };
    expect(refusals).toEqual([tooSlow, tooSlow, tooSlow]);
    expect((await waiting.answer).status).toBe(201);
  });
});
