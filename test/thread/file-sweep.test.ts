// Sweeps of a bucket that fails: they are repeated until they succeed, after longer and longer pauses, also if the object is woken
// meanwhile.

import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it } from "vitest";

import type { Bucket } from "#store/files/file-bucket.ts";

import { pattern } from "../store/files/file-stage.ts";
import { skip, testClock } from "../worker/clock.ts";
import { fileSettings } from "../worker/file-works.ts";
import { waitFor } from "./team-driver.ts";
import { admin, alarmOf, crash, newThread, stubOf, value } from "./thread-driver.ts";
import { Files } from "./thread-files-client.ts";

const { FILES } = env as unknown as { FILES: R2Bucket };
const objectOf = (id: string) => env.THREADS.get(env.THREADS.idFromName(id));
const minute = 60_000;

const bucket = { fails: false, deletes: 0 };

beforeEach(() => {
  Object.assign(bucket, { fails: false, deletes: 0 });
  fileSettings.bucket = {
    get: (key: string, options?: R2GetOptions) => FILES.get(key, options),
    createMultipartUpload: (key: string) => FILES.createMultipartUpload(key),
    list: (options?: R2ListOptions) => FILES.list(options),
    async delete(keys: string | string[]) {
      bucket.deletes += 1;
      if (bucket.fails) throw new Error("the bucket is away");
      await FILES.delete(keys);
    },
  } as Bucket;
});

afterEach(() => {
  delete fileSettings.bucket;
});

const garbageOf = (id: string) =>
  runInDurableObject(objectOf(id), (_, { storage }) =>
    Number(storage.sql.exec("SELECT count(*) AS n FROM file_garbage").one()["n"]),
  );

const failuresOf = (id: string) =>
  runInDurableObject(objectOf(id), (_, { storage }) => {
    const { background } = JSON.parse(storage.sql.exec<{ body: string }>("SELECT body FROM thread").one().body) as {
      background: { sweep?: { failures: number } };
    };
    return background.sweep?.failures ?? 0;
  });

/** A thread whose bucket has an object that must be deleted. */
async function withGarbage(): Promise<string> {
  const id = await newThread("filer");
  const files = new Files(id);
  await files.put("/big", pattern(9 * 1024 * 1024));
  await files.ask("DELETE", "/files/big");
  expect(await garbageOf(id)).toBe(1);
  return id;
}

/** Fires the alarm and waits until there were `count` tries in total. Returns the minutes until the next try. */
async function failAgain(id: string, count: number): Promise<number> {
  const now = testClock.now() / 1000;
  await runDurableObjectAlarm(objectOf(id));
  await waitFor(async () => (await failuresOf(id)) === count);
  return Math.round((((await alarmOf(id)) ?? 0) - now) / minute);
}

it("Each failed deletion of files from the bucket doubles the pause up to 15 minutes, also after a crash, and the deletion is repeated until it succeeds", async () => {
  const id = await withGarbage();
  bucket.fails = true;
  const pauses: number[] = [];
  for (let count = 1; count <= 7; count += 1) {
    pauses.push(await failAgain(id, count));
    await crash(id);
    skip((pauses.at(-1) ?? 0) * minute + 1000);
  }
  expect(pauses).toEqual([1, 2, 4, 8, 15, 15, 15]);
  bucket.fails = false;
  await runDurableObjectAlarm(objectOf(id));
  await waitFor(
    async () => (await garbageOf(id)) === 0 && (await failuresOf(id)) === 0 && (await alarmOf(id)) === null,
  );
  expect((await FILES.list({ prefix: `${id}/` })).objects).toEqual([]);
});

it("If an alarm fires before the next attempt to delete files is due, no deletion is sent to the bucket", async () => {
  const id = await withGarbage();
  bucket.fails = true;
  await failAgain(id, 1);
  const { deletes } = bucket;
  const at = await alarmOf(id);
  await crash(id);
  for (let turn = 0; turn < 3; turn += 1) {
    await value(stubOf(id).call("patch", admin, { title: `${turn}` }));
    await runDurableObjectAlarm(objectOf(id));
    await waitFor(async () => (await alarmOf(id)) === at);
  }
  expect(bucket.deletes).toBe(deletes);
});

it("A successful deletion of a file from the bucket writes one row, the deletion of its record", async () => {
  const id = await withGarbage();
  const before = (await stubOf(id).rows()).rowsWritten;
  await runDurableObjectAlarm(objectOf(id));
  await waitFor(async () => (await garbageOf(id)) === 0 && (await alarmOf(id)) === null);
  // The record of garbage is deleted, and the alarm is not set again.
  expect((await stubOf(id).rows()).rowsWritten - before).toBe(1);
  expect(await failuresOf(id)).toBe(0);
});
