// Bounds that keep a thread usable however many files it has: space in the object's storage, entries of a listed folder, the cost of a
// glob.

import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import type { FileRows } from "#store/files/file-rows.ts";
import { sqliteFileRows } from "#store/files/sqlite-file-rows.ts";
import { createSqliteThreadStore } from "#store/thread/sqlite-thread-store.ts";

import { memoryFileRows } from "../../support/memory-store/memory-file-rows.ts";
import { withStorage } from "../bare-storage.ts";
import { threadRecord } from "../records.ts";
import { chunk, codeOf, pattern, plain, same, stage, streamOf } from "./file-stage.ts";

const { FILES } = env as unknown as { FILES: R2Bucket };

const overSqlite = (work: (rows: FileRows) => Promise<void>) =>
  withStorage(async (storage) => {
    createSqliteThreadStore(storage).create(threadRecord());
    await work(sqliteFileRows(storage, () => false));
  });

const overMemory = (work: (rows: FileRows) => Promise<void>) => work(memoryFileRows());

describe.each([
  ["SQLite", overSqlite],
  ["memory", overMemory],
])("storage limit in %s", (_, withRows) => {
  test("A file that would fill the storage is refused and stores nothing, and a removed file frees its space", () =>
    withRows(async (rows) => {
      const { files } = stage(rows, { room: rows.filled() + 4.5 * chunk });
      const old = pattern(3 * chunk);
      await files.write("old", streamOf(old), plain);
      const filled = rows.filled();
      const before = await files.stats();
      expect(await codeOf(files.write("large", streamOf(pattern(4 * chunk)), plain))).toBe("too_large");
      expect(await codeOf(files.write("old", streamOf(pattern(4 * chunk)), plain))).toBe("too_large");
      expect(await files.stats()).toEqual(before);
      expect(rows.garbage()).toEqual([]);
      expect(rows.filled()).toBe(filled);
      expect(same(await files.read("old"), old)).toBe(true);
      await files.write("small", pattern(chunk), plain);
      expect(await codeOf(files.write("next", pattern(chunk), plain))).toBe("too_large");
      await files.remove("old");
      await files.write("large", streamOf(pattern(3 * chunk)), plain);
    }));

  test("A streamed file is refused as soon as the thread's storage is full, and files in the bucket or at a URL use none of that storage", () =>
    withRows(async (rows) => {
      let given = 0;
      const endless = new ReadableStream<Uint8Array>({
        pull(controller) {
          given += 1;
          controller.enqueue(new Uint8Array(chunk));
        },
      });
      const { files } = stage(rows, { room: rows.filled() + 3.5 * chunk });
      await expect(files.write("endless", endless, plain)).rejects.toThrow("The thread's storage is full");
      expect(given).toBeLessThanOrEqual(6);
      const bucket = { bucket: FILES, threshold: 2 * chunk, threadId: crypto.randomUUID() };
      const full = stage(rows, { room: 0, bucket }).files;
      expect(await codeOf(full.write("small", "x", plain))).toBe("too_large");
      expect(await full.write("large", streamOf(pattern(3 * chunk)), plain)).toMatchObject({ storage: "r2" });
      const url = "https://files.example/large.bin";
      const outside = full.link("outside", url, { size: 100 * chunk, mimeType: "application/octet-stream" });
      expect(await outside).toMatchObject({ size: 100 * chunk, storage: "external" });
    }));
});

/** File rows without bytes, so that thousands are created quickly. */
function fill(rows: FileRows, parent: string, names: Iterable<string>): void {
  const body = { mime_type: "text/plain", place: { type: "row" as const }, tag: "t", created_at: 1, updated_at: 1 };
  for (const name of names) rows.put({ parent, name, is_folder: false, size: 0, body }, new Uint8Array());
}

test("A folder of 20,000 entries is too large to be listed, and a glob still finds its files", () =>
  overSqlite(async (rows) => {
    const { files } = stage(rows);
    await files.makeFolder("full");
    fill(
      rows,
      "/full",
      Array.from({ length: 19_999 }, (_, at) => `${at}`),
    );
    expect(await files.list("full")).toHaveLength(19_999);
    fill(rows, "/full", ["one more"]);
    await expect(files.list("full")).rejects.toMatchObject({
      refusal: { code: "too_large", details: { limit: 20_000 } },
    });
    expect((await files.find("full/1999*", { path: "full" })).paths).toEqual([
      "/full/1999",
      ...Array.from({ length: 9 }, (_, at) => `/full/1999${at}`),
    ]);
  }));

test("A glob that is too expensive for thousands of files is refused, and is accepted in a folder with one file", () =>
  overSqlite(async (rows) => {
    const { files } = stage(rows);
    const long = "ab".repeat(120);
    fill(
      rows,
      `/${long}/${long}/${long}`,
      Array.from({ length: 5000 }, (_, at) => `${long}${at}`),
    );
    await files.write("few/a", "x", plain);
    const heavy = `**/*a${"?".repeat(400)}`;
    expect(await codeOf(files.find(heavy))).toBe("too_large");
    expect((await files.find(heavy, { path: "few" })).paths).toEqual([]);
    expect((await files.find("**/*")).paths).toHaveLength(1000);
  }));
