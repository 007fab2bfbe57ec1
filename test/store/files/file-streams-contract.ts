// What every file system keeps true while bytes are on their way: sources that fail, readers that are overtaken, writers at
// the same time, and how little of a file is in memory meanwhile.

import { expect, test } from "vitest";

import type { FileRows } from "#store/files/file-rows.ts";

import { bytesOf, chunk, codeOf, pattern, plain, same, stage, streamOf, textOf } from "./file-stage.ts";
import type { WithRows } from "./file-stage.ts";

/** No row of chunks or garbage is there; only right where no file has chunks. */
function clean(rows: FileRows): boolean {
  return rows.lastGeneration() === 0 && rows.garbage().length === 0;
}

/** A source of one piece over and over, which ends as told; it says what became of it. */
function source(piece: Uint8Array, { pieces, after }: { pieces: number; after: "error" | "close" }) {
  const state = { given: 0, cancelled: false };
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (state.given < pieces) {
          state.given += 1;
          controller.enqueue(piece);
        } else if (after === "error") controller.error(new Error("the source broke"));
        else controller.close();
      },
      cancel() {
        state.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, state };
}

/** Runs the suite. */
export function fileStreamsContract(where: string, withRows: WithRows): void {
  const piece = pattern(100_000);

  for (const pieces of [0, 3, 40]) {
    test(`FILE7 a source that fails after ${pieces} pieces leaves the file as it was (${where})`, () =>
      withRows(async (rows) => {
        const { files } = stage(rows);
        await files.write("file", "old", plain);
        const { stream } = source(piece, { pieces, after: "error" });
        await expect(files.write("file", stream, plain)).rejects.toThrow("the source broke");
        expect(await textOf(files, "file")).toBe("old");
        expect(clean(rows)).toBe(true);
        await expect(
          files.write("new/file", source(piece, { pieces, after: "error" }).stream, plain),
        ).rejects.toThrow();
        expect(await files.stat("new")).toBeNull();
      }));
  }

  test(`FILE7 an endless source is cut at the limit, exactly that much is taken (${where})`, () =>
    withRows(async (rows) => {
      const { files } = stage(rows, { limit: 3_000_000 });
      await files.write("file", "old", plain);
      const { stream, state } = source(piece, { pieces: Number.POSITIVE_INFINITY, after: "close" });
      expect(await codeOf(files.write("file", stream, plain))).toBe("too_large");
      expect(state).toEqual({ given: 31, cancelled: true });
      expect(await textOf(files, "file")).toBe("old");
      expect(clean(rows)).toBe(true);
      expect(await codeOf(files.write("file", pattern(3_000_001), plain))).toBe("too_large");
      expect(await codeOf(files.write("file", "é".repeat(1_500_001), plain))).toBe("too_large");
      expect(clean(rows)).toBe(true);
      expect((await files.write("file", source(piece, { pieces: 30, after: "close" }).stream, plain)).size).toBe(
        3_000_000,
      );
    }));

  test(`FILE7 a source that is refused unread is cancelled, and one that gives no bytes is refused (${where})`, () =>
    withRows(async (rows) => {
      const { files } = stage(rows);
      await files.makeFolder("folder");
      const { stream, state } = source(piece, { pieces: 5, after: "close" });
      expect(await codeOf(files.write("folder", stream, plain))).toBe("conflict");
      expect(state).toEqual({ given: 0, cancelled: true });
      const words = new ReadableStream({
        start(controller) {
          controller.enqueue("words");
          controller.close();
        },
      });
      expect(await codeOf(files.write("words", words, plain))).toBe("invalid_request");
      expect(await files.stat("words")).toBeNull();
    }));

  test(`FILE8 a stream is written and read with few chunks in memory (${where})`, () =>
    withRows(async (rows) => {
      // What was given and is not stored yet is in memory; what was read and not taken yet, too.
      let given = 0;
      let stored = 0;
      let most = 0;
      let read = 0;
      const counting: FileRows = {
        ...rows,
        putChunk(generation, number, bytes) {
          rows.putChunk(generation, number, bytes);
          stored += bytes.byteLength;
        },
        chunk(generation, number) {
          read += 1;
          return rows.chunk(generation, number);
        },
      };
      const { files } = stage(counting);
      const total = 12 * chunk;
      const stream = new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            most = Math.max(most, given - stored);
            if (given >= total) controller.close();
            else controller.enqueue(pattern(64 * 1024, given));
            given += 64 * 1024;
          },
        },
        { highWaterMark: 0 },
      );
      await files.write("large", stream, plain);
      expect(most).toBeLessThanOrEqual(2.1 * chunk);
      const reader = (await files.open("large"))?.body.getReader();
      expect(read).toBe(0);
      for (let taken = 1; taken <= 5; taken += 1) {
        await reader?.read();
        expect(read).toBe(taken);
      }
      await reader?.cancel();
      read = 0;
      const chunks = (await files.chunks("large"))?.[Symbol.asyncIterator]();
      await chunks?.next();
      await chunks?.next();
      await chunks?.return?.();
      expect(read).toBe(2);
    }));

  test(`FILE8 only so many streams are stored at a time, and all of them in the end (${where})`, () =>
    withRows(async (rows) => {
      const { files } = stage(rows);
      const begun = new Set<number>();
      const opens: (() => void)[] = [];
      const writes = Array.from({ length: 9 }, (_, index) => {
        const gate = new Promise<void>((resolve) => opens.push(resolve));
        const stream = new ReadableStream<Uint8Array>(
          {
            async pull(controller) {
              begun.add(index);
              await gate;
              controller.enqueue(new Uint8Array([index]));
              controller.close();
            },
          },
          { highWaterMark: 0 },
        );
        return files.write(`f${index}`, stream, plain);
      });
      // What is at hand does not wait for streams.
      await files.write("now", "now", plain);
      expect([...begun]).toEqual([0, 1, 2, 3]);
      opens[2]?.();
      await writes[2];
      await files.write("now", "again", plain);
      expect([...begun]).toEqual([0, 1, 2, 3, 4]);
      for (const open of opens) open();
      expect((await Promise.all(writes)).map(({ size }) => size)).toEqual(writes.map(() => 1));
    }));

  test(`FILE9 of two writers the last to end stands whole, and nothing is left of the other (${where})`, () =>
    withRows(async (rows) => {
      const { files } = stage(rows);
      const [slow, fast] = [pattern(2 * chunk + 1, 3), pattern(3 * chunk, 5)];
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const late = files.write("file", readable, plain);
      const writer = writable.getWriter();
      await writer.write(slow.slice(0, chunk + 10));
      await files.write("file", streamOf(fast), plain);
      expect(same(await files.read("file"), fast)).toBe(true);
      await writer.write(slow.slice(chunk + 10));
      await writer.close();
      await late;
      expect(same(await files.read("file"), slow)).toBe(true);
      expect(await files.stats()).toEqual({ fileCount: 1, directoryCount: 0, totalSize: slow.byteLength });
      await files.remove("file");
      expect(clean(rows)).toBe(true);
    }));

  for (const size of [10, 3 * chunk]) {
    test(`FILE10 a file of ${size} bytes that is replaced while it is read fails the reader (${where})`, () =>
      withRows(async (rows) => {
        const { files } = stage(rows);
        for (const change of ["replace", "remove", "remove and write again"] as const) {
          await files.write("file", pattern(size), plain);
          const open = await files.open("file");
          const chunks = (await files.chunks("file"))?.[Symbol.asyncIterator]();
          const reader = open?.body.getReader();
          if (size > chunk) {
            await reader?.read();
            await chunks?.next();
          }
          if (change === "replace") await files.write("file", pattern(size, 9), plain);
          else await files.remove("file");
          if (change === "remove and write again") await files.write("file", pattern(size, 9), plain);
          expect(await codeOf(reader?.read() ?? Promise.resolve())).toBe("conflict");
          expect(await codeOf(chunks?.next() ?? Promise.resolve())).toBe("conflict");
        }
      }));
  }

  test(`FILE7 a sweep leaves writes under way alone and drops what none stands for (${where})`, () =>
    withRows(async (rows) => {
      const { files, calls } = stage(rows);
      await files.write("small", "x", plain);
      expect(await files.sweep()).toBe(true);
      expect(calls()).toBe(0);
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const writer = writable.getWriter();
      const bytes = pattern(4 * chunk);
      const writing = files.write("file", readable, plain);
      await writer.write(bytes.slice(0, 2 * chunk));
      await writer.write(bytes.slice(2 * chunk, 3 * chunk));
      expect(calls()).toBe(1);
      // As another life of the object would see it: nobody writes these chunks.
      const generation = rows.lastGeneration();
      expect(rows.garbage()).toEqual([{ generation, bucket_key: null }]);
      expect(await files.sweep()).toBe(false);
      expect(rows.garbage()).toHaveLength(1);
      await writer.write(bytes.slice(3 * chunk));
      await writer.close();
      await writing;
      expect(await files.sweep()).toBe(true);
      expect(same(await bytesOf((await files.open("file"))?.body ?? new ReadableStream()), bytes)).toBe(true);
      rows.addGarbage({ generation: 77, bucket_key: null });
      rows.putChunk(77, 0, new Uint8Array(5));
      rows.putChunk(77, 1, new Uint8Array(5));
      // A later life numbers on behind what is there.
      const next = stage(rows).files;
      await next.write("other", pattern(chunk + 1), plain);
      expect(rows.lastGeneration()).toBe(78);
      expect(await next.sweep()).toBe(true);
      expect([rows.chunk(77, 0), rows.chunk(77, 1), rows.garbage()]).toEqual([null, null, []]);
      expect(same(await next.read("file"), bytes)).toBe(true);
    }));
}
