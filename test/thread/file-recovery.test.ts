// Files of real objects that crash, are deleted, or were stored before files existed: no file is incomplete, and nothing remains of
// interrupted uploads.

import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";

import { meterStorage } from "#store/meter.ts";
import { threadMigrations, threadSchema } from "#store/thread/thread-schema.ts";

import { pattern, same } from "../store/files/file-stage.ts";
import { fileSettings } from "../worker/file-works.ts";
import { waitFor } from "./team-driver.ts";
import { admin, alarmOf, crash, newThread, stubOf, value } from "./thread-driver.ts";
import { Files, errorOf } from "./thread-files-client.ts";

const chunk = 1_835_008;
const { FILES } = env as unknown as { FILES: R2Bucket };

const objectOf = (id: string) => env.THREADS.get(env.THREADS.idFromName(id));

/** The number of rows in the tables of bytes. */
function leftovers(id: string): Promise<{ chunks: number; garbage: number }> {
  return runInDurableObject(objectOf(id), (_, { storage }) => {
    const count = (table: string) => Number(storage.sql.exec(`SELECT count(*) AS n FROM ${table}`).one()["n"]);
    return { chunks: count("file_chunk"), garbage: count("file_garbage") };
  });
}

/** An upload that pauses after its first bytes until the test continues it. */
function upload(id: string, path: string, first: Uint8Array<ArrayBuffer>) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const request = new Request(`http://localhost/api/threads/${id}/files${path}`, { method: "PUT", body: readable });
  const answer = exports.default.fetch(request);
  const writer = writable.getWriter();
  const begun = writer.write(first);
  const end = async (rest: Uint8Array) => {
    await writer.write(rest);
    await writer.close();
  };
  return { answer, begun, end };
}

/** Waits, by asking the object repeatedly, until its rows are as expected. */
async function until(id: string, fits: (rows: { chunks: number; garbage: number }) => boolean): Promise<void> {
  await waitFor(async () => fits(await leftovers(id)));
}

/** Objects that are constructed from here on have no bucket, so that every file that exceeds a row is stored in chunks. */
function withoutBucket(): void {
  fileSettings.bucket = null;
}

afterEach(() => {
  delete fileSettings.bucket;
});

describe("an upload that a crash interrupts", () => {
  it("If a crash interrupts an upload, the old file is kept, and the alarm deletes the stored part of the new file", async () => {
    withoutBucket();
    const id = await newThread("filer");
    const files = new Files(id);
    await files.put("/file", "old");
    const cut = upload(id, "/file", pattern(3 * chunk));
    const failed = cut.answer.then(
      (answer) => answer.status >= 500,
      () => true,
    );
    await until(id, ({ chunks }) => chunks >= 2);
    expect((await leftovers(id)).garbage).toBe(1);
    expect(await alarmOf(id)).not.toBeNull();
    await crash(id);
    await cut.end(new Uint8Array()).catch(() => undefined);
    expect(await failed).toBe(true);
    expect((await leftovers(id)).chunks).toBeGreaterThanOrEqual(2);
    expect(await (await files.get("/file")).text()).toBe("old");
    expect(await runDurableObjectAlarm(objectOf(id))).toBe(true);
    await until(id, ({ garbage }) => garbage === 0);
    expect(await leftovers(id)).toEqual({ chunks: 0, garbage: 0 });
    expect(await (await files.get("/file")).text()).toBe("old");
    expect(await files.stats()).toEqual({ fileCount: 1, directoryCount: 0, totalSize: 3 });
  });

  it("The alarm does not delete the stored part of an upload that is still active", async () => {
    withoutBucket();
    const id = await newThread("filer");
    const bytes = pattern(4 * chunk + 7);
    const slow = upload(id, "/file", bytes.slice(0, 3 * chunk));
    await until(id, ({ chunks }) => chunks >= 2);
    await runDurableObjectAlarm(objectOf(id));
    // The alarm is set again, in case the upload never ends.
    expect(await alarmOf(id)).not.toBeNull();
    await slow.end(bytes.slice(3 * chunk));
    expect((await slow.answer).status).toBe(201);
    await runDurableObjectAlarm(objectOf(id));
    expect(await leftovers(id)).toEqual({ chunks: 5, garbage: 0 });
    const read = new Uint8Array(await (await new Files(id).get("/file")).arrayBuffer());
    expect(same(read, bytes)).toBe(true);
  });
});

describe("a thread that is deleted", () => {
  it("The deletion of a thread ends an active upload, and nothing of thread or upload remains", async () => {
    withoutBucket();
    const id = await newThread("filer");
    const cut = upload(id, "/file", pattern(3 * chunk));
    await until(id, ({ chunks }) => chunks >= 2);
    await value(stubOf(id).call("remove", admin));
    await cut.end(pattern(chunk)).catch(() => undefined);
    const answer = await cut.answer;
    expect([answer.status, errorOf(await answer.text())]).toEqual([404, "thread_not_found"]);
    await runInDurableObject(objectOf(id), async (_, { storage }) => {
      const tables = storage.sql
        .exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'")
        .toArray();
      expect(tables).toEqual([]);
      expect(await storage.getAlarm()).toBeNull();
    });
  });

  it("The deletion of a thread deletes its objects in the bucket, also those of an upload that is still active", async () => {
    const id = await newThread("filer");
    const keys = async () => (await FILES.list({ prefix: `${id}/` })).objects.length;
    const size = 9 * 1024 * 1024;
    const first = await new Files(id).put("/big", pattern(size));
    expect(await first.json()).toMatchObject({ storage: "r2", size });
    expect(await keys()).toBe(1);
    const late = upload(id, "/late", pattern(size));
    await until(id, ({ garbage }) => garbage === 1);
    // The alarm handler runs once and sets a later time, which a failure after the deletion must not change.
    await runDurableObjectAlarm(objectOf(id));
    await waitFor(async () => (await alarmOf(id)) !== null);
    await value(stubOf(id).call("remove", admin));
    expect(await keys()).toBe(0);
    await late.end(pattern(chunk)).catch(() => undefined);
    expect((await late.answer).status).toBe(404);
    expect(await keys()).toBe(0);
    await runInDurableObject(objectOf(id), async (_, { storage }) => expect(await storage.getAlarm()).toBeNull());
  });
});

describe("the bucket of a deployment", () => {
  it("A large file in the bucket can be read by range, and its bytes are deleted from the bucket after it is replaced", async () => {
    const id = await newThread("filer");
    const files = new Files(id);
    const size = 9 * 1024 * 1024;
    const bytes = pattern(size);
    await files.put("/big", bytes);
    const part = await files.get("/big", { range: "bytes=1835000-1835019" });
    expect(part.status).toBe(206);
    expect(same(new Uint8Array(await part.arrayBuffer()), bytes.subarray(1_835_000, 1_835_020))).toBe(true);
    await files.put("/big", "small");
    expect(await leftovers(id)).toEqual({ chunks: 0, garbage: 1 });
    expect(await alarmOf(id)).not.toBeNull();
    await runDurableObjectAlarm(objectOf(id));
    await until(id, ({ garbage }) => garbage === 0);
    expect((await FILES.list({ prefix: `${id}/` })).objects).toEqual([]);
    await value(stubOf(id).call("remove", admin));
  });
});

describe("a thread from before there were files", () => {
  it("A thread from a version without files gets the tables for files when it is loaded, keeps its data and accepts files", async () => {
    const id = await newThread("filer", { initial_messages: [{ role: "user", content: "kept" }] });
    const before = await value(stubOf(id).call("describe", admin));
    await runInDurableObject(objectOf(id), (_, { storage }) => {
      const rows = ["thread", "branch", "message", "event"].map((table) => ({
        table,
        rows: storage.sql.exec(`SELECT * FROM ${table}`).toArray(),
      }));
      const names = storage.sql.exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
      );
      for (const { name } of names.toArray()) storage.sql.exec(`DROP TABLE ${name}`);
      // The tables as the first version of the schema created them.
      threadSchema(meterStorage(storage), threadMigrations.slice(0, 1)).build();
      for (const { table, rows: kept } of rows) {
        for (const row of kept) {
          const marks = Object.keys(row).map(() => "?");
          storage.sql.exec(`INSERT INTO ${table} VALUES (${marks.join(", ")})`, ...Object.values(row));
        }
      }
      storage.sql.exec("UPDATE thread SET schema_version = 1");
      expect(storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'file'").toArray()).toEqual([]);
    });
    await crash(id);
    const { items } = await value(
      stubOf(id).call("listMessages", admin, { limit: 5, order: "asc", include_silent: false }),
    );
    expect(items.map(({ content }) => content)).toEqual(["kept"]);
    expect((await value(stubOf(id).call("describe", admin))).created_at).toBe(before.created_at);
    const files = new Files(id);
    expect((await files.put("/a", pattern(chunk + 1))).status).toBe(201);
    expect((await (await files.get("/a")).arrayBuffer()).byteLength).toBe(chunk + 1);
    await runInDurableObject(objectOf(id), (_, { storage }) => {
      expect(storage.sql.exec("SELECT schema_version FROM thread").one()["schema_version"]).toBe(
        threadMigrations.length,
      );
    });
  });
});
