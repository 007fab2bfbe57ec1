// Imports that break off, crash, or meet other requests: no caller sees a part of a thread, and the parts of an import that did not end are
// deleted.

import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it } from "vitest";

import { callerHeader, exportPath } from "#core/rpc/thread-rpc.ts";
import { readPieceMs } from "#thread/archive/line-stream.ts";

import { ring, waitingFor } from "../worker/clock.ts";
import { fileSettings } from "../worker/file-works.ts";
import {
  askExport,
  askImport,
  exported,
  imported,
  leftIn,
  linesOf,
  listed,
  nothing,
  sealed,
} from "./archive-client.ts";
import { waitFor } from "./team-driver.ts";
import { admin, alarmOf, converse, crash, newThread, stubOf, value } from "./thread-driver.ts";
import { Files } from "./thread-files-client.ts";

const { FILES } = env as unknown as { FILES: R2Bucket };
const objectOf = (id: string) => env.THREADS.get(env.THREADS.idFromName(id));

let base = "";
let baseId = "";

beforeAll(async () => {
  baseId = await newThread("filer", { user_id: "ada" });
  await converse(baseId, "one");
  await new Files(baseId).put("/chunks", new Uint8Array(4_000_000));
  await new Files(baseId).put("/a-in-the-bucket", new Uint8Array(9_000_000));
  base = await exported(baseId);
  await value(stubOf(baseId).call("remove", admin));
});

afterEach(() => {
  delete fileSettings.bucket;
});

/** An import whose body is sent when the test decides. */
async function slowly(share: number) {
  const id = crypto.randomUUID();
  const text = await sealed(linesOf(base.replaceAll(baseId, id)));
  const bytes = new TextEncoder().encode(text);
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const answer = askImport(id, readable);
  const writer = writable.getWriter();
  const half = Math.floor(bytes.length * share);
  const begun = writer.write(bytes.slice(0, half));
  const end = async () => {
    await writer.write(bytes.slice(half));
    await writer.close();
  };
  return { id, text, answer, begun, end, breakOff: () => writer.abort("broken") };
}

/** Waits until the mark of an import is stored. */
const untilBegun = (id: string) => waitFor(async () => (await leftIn(id)).tables.includes("thread"));

async function bucketOf(id: string): Promise<number> {
  return (await FILES.list({ prefix: `${id}/` })).objects.length;
}

describe("an import in progress", () => {
  it("IMPORT9 A thread is neither found by a request nor listed until its import is complete, and its id is not free for another creation or import", async () => {
    const { id, answer, end } = await slowly(0.9);
    await untilBegun(id);
    const stub = stubOf(id);
    for (const requested of [
      stub.call("describe", admin),
      stub.call("remove", admin),
      stub.call("stop", admin, null),
      stub.call("postRun", admin, { kind: "continue" }, null),
      stub.call("listMessages", admin, { limit: 10, order: "asc", include_silent: true }),
    ]) {
      expect(await requested).toMatchObject({ ok: false, refusal: { code: "thread_not_found" } });
    }
    const headers = { [callerHeader]: JSON.stringify(admin) };
    expect((await stub.fetch(new Request(`https://thread${exportPath}`, { headers }))).status).toBe(404);
    const created = await stub.call("create", admin, { id, agent_id: "filer", user_id: null, creation: "x" });
    expect(created).toMatchObject({ ok: false, refusal: { code: "conflict" } });
    expect((await imported(id, await sealed(linesOf(base.replaceAll(baseId, id))))).code).toBe("conflict");
    expect(await listed(id)).toBe(false);
    await end();
    expect((await answer).status).toBe(201);
    expect((await value(stub.call("describe", admin))).message_count).toBe(2);
    expect(await listed(id)).toBe(true);
  });

  it("IMPORT10 An import leaves no table, no alarm and nothing in the bucket if its body breaks off", async () => {
    for (const share of [0.05, 0.5, 0.97]) {
      const { id, text, answer, breakOff } = await slowly(share);
      await untilBegun(id);
      await breakOff();
      await answer.then(
        (response) => expect(response.status).toBe(400),
        () => undefined,
      );
      await waitFor(async () => (await leftIn(id)).tables.length === 0);
      expect(await leftIn(id)).toEqual(nothing);
      expect([await bucketOf(id), await listed(id)]).toEqual([0, false]);
      // The id can be used again.
      expect((await imported(id, text)).status).toBe(201);
    }
  });

  it("IMPORT11 If the object of an import crashes, the alarm deletes the data that the import had written", async () => {
    const { id, answer, end } = await slowly(0.97);
    const failed = answer.then(
      ({ status }) => status >= 500,
      () => true,
    );
    await untilBegun(id);
    await waitFor(async () => (await bucketOf(id)) === 1);
    expect(await alarmOf(id)).not.toBeNull();
    await crash(id);
    await end().catch(() => undefined);
    expect(await failed).toBe(true);
    expect((await leftIn(id)).tables).not.toEqual([]);
    expect(await stubOf(id).call("describe", admin)).toMatchObject({ refusal: { code: "thread_not_found" } });
    expect(await runDurableObjectAlarm(objectOf(id))).toBe(true);
    expect(await leftIn(id)).toEqual(nothing);
    expect([await bucketOf(id), await listed(id)]).toEqual([0, false]);
  });

  it("IMPORT11 After a crash has interrupted an import, a creation or import of the same thread replaces it at once", async () => {
    for (const next of ["create", "import"] as const) {
      const { id, text, answer, end } = await slowly(0.2);
      const failed = answer.catch(() => undefined);
      await untilBegun(id);
      await crash(id);
      await end().catch(() => undefined);
      await failed;
      if (next === "import") expect((await imported(id, text)).status).toBe(201);
      else await value(stubOf(id).call("create", admin, { id, agent_id: "filer", user_id: null, creation: "x" }));
      expect((await value(stubOf(id).call("describe", admin))).message_count).toBe(next === "import" ? 2 : 0);
    }
  });

  it("The alarm does not delete an active import whose lines still arrive", async () => {
    const { id, answer, end } = await slowly(0.5);
    await untilBegun(id);
    await runDurableObjectAlarm(objectOf(id));
    expect(await alarmOf(id)).not.toBeNull();
    await end();
    expect((await answer).status).toBe(201);
    expect(await alarmOf(id)).toBeNull();
  });

  it("An import that failed stays recorded until its objects in the bucket are deleted", async () => {
    let failing = true;
    const bucket: Partial<R2Bucket> = {
      list: (options) => (failing ? Promise.reject(new Error("down")) : FILES.list(options)),
      get: FILES.get.bind(FILES) as R2Bucket["get"],
      delete: (keys) => FILES.delete(keys),
      createMultipartUpload: (key) => FILES.createMultipartUpload(key),
    };
    fileSettings.bucket = bucket as NonNullable<typeof fileSettings.bucket>;
    const id = crypto.randomUUID();
    const cut = (await sealed(linesOf(base.replaceAll(baseId, id)))).slice(0, -200);
    expect((await imported(id, cut)).code).toBe("invalid_request");
    expect((await leftIn(id)).tables).not.toEqual([]);
    expect(await bucketOf(id)).toBe(1);
    expect(await stubOf(id).call("describe", admin)).toMatchObject({ refusal: { code: "thread_not_found" } });
    failing = false;
    expect(await runDurableObjectAlarm(objectOf(id))).toBe(true);
    expect(await leftIn(id)).toEqual(nothing);
    expect(await bucketOf(id)).toBe(0);
  });

  it("A thread that is imported under the id of a deleted thread is listed, and is removed from the list when it is deleted again", async () => {
    const id = await newThread("parallel", { title: "first life" });
    const text = await exported(id);
    for (const life of [1, 2]) {
      await value(stubOf(id).call("remove", admin));
      expect([life, await listed(id)]).toEqual([life, false]);
      expect((await imported(id, text)).status).toBe(201);
      expect([life, await listed(id)]).toEqual([life, true]);
    }
  });

  it("An import reads its body no faster than it stores the data, and an export reads the thread no faster than its reader reads", async () => {
    const id = crypto.randomUUID();
    const text = await sealed(linesOf(base.replaceAll(baseId, id)));
    const bytes = new TextEncoder().encode(text);
    const piece = 64 * 1024;
    let given = 0;
    let most = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const size = await runInDurableObject(objectOf(id), (_, { storage }) => storage.sql.databaseSize);
          // Base64 is a third longer than its bytes; bytes in the bucket are not counted.
          most = Math.max(most, Math.min(given, 5_000_000) - size);
          controller.enqueue(bytes.slice(given, given + piece));
          given += piece;
          if (given >= bytes.length) controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    expect((await askImport(id, body)).status).toBe(201);
    expect(most).toBeLessThan(5_000_000);
    const response = await askExport(id);
    const before = (await stubOf(id).rows()).rowsRead;
    const reader = response.body?.getReader();
    await reader?.read();
    expect((await stubOf(id).rows()).rowsRead - before).toBeLessThan(60);
    await reader?.cancel();
  });

  it("EXPORT17 An export breaks off if its reader stops reading, and leaves no timer in the object", async () => {
    const id = crypto.randomUUID();
    const text = await sealed(linesOf(base.replaceAll(baseId, id)));
    expect((await askImport(id, text)).status).toBe(201);
    const reader = (await askExport(id)).body?.getReader();
    await reader?.read();
    const stands = () => runInDurableObject(objectOf(id), () => waitingFor(id, readPieceMs));
    await waitFor(async () => (await stands()) > 0);
    await runInDurableObject(objectOf(id), () => ring(id, readPieceMs));
    const readOn = async () => {
      for (;;) if ((await reader?.read())?.done !== false) return "the whole";
    };
    await expect(readOn()).rejects.toThrow();
    expect(await stands()).toBe(0);
  });
});
