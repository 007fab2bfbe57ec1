// The contract of every file system about bytes: of small files, of files at the size of a chunk, and of large files.

import { expect, test } from "vitest";

import type { ThreadFiles } from "#core/ports/thread-file-port.ts";

import { bytesOf, chunk, codeOf, pattern, plain, same, stage, streamOf, textOf } from "./file-stage.ts";
import type { WithRows } from "./file-stage.ts";

const binary = { mimeType: "application/octet-stream" };

async function chunkList(files: ThreadFiles, path: string) {
  const found = [];
  for await (const one of (await files.chunks(path)) ?? []) found.push(one);
  return found;
}

/** Runs the suite. */
export function fileBytesContract(where: string, withRows: WithRows): void {
  for (const size of [0, 1, 65_537, chunk - 1, chunk, chunk + 1, 2 * chunk, 3 * chunk + 5]) {
    test(`A file of ${size} bytes is read unchanged, at once, as a stream and by chunks (${where})`, () =>
      withRows(async (rows) => {
        const { files } = stage(rows);
        const bytes = pattern(size, size + 1);
        const record = await files.write("one.bin", bytes, binary);
        const other = await files.write("two.bin", streamOf(bytes, [1000, 1, 200_000, 77]), binary);
        for (const { path, size: emitted } of [record, other]) {
          expect(emitted).toBe(size);
          expect(same(await files.read(path), bytes)).toBe(true);
          const open = await files.open(path);
          expect(open?.record.size).toBe(size);
          expect(same(await bytesOf(open?.body ?? new ReadableStream()), bytes)).toBe(true);
          const chunks = await chunkList(files, path);
          const total = Math.max(1, Math.ceil(size / chunk));
          expect(
            chunks.map(({ index, totalChunks, isLast, data }) => [index, totalChunks, isLast, data.byteLength]),
          ).toEqual(
            Array.from({ length: total }, (_, index) => [
              index,
              total,
              index === total - 1,
              Math.min(chunk, size - index * chunk),
            ]),
          );
          expect(
            chunks.every(({ data, index }) => same(data, bytes.subarray(index * chunk, (index + 1) * chunk))),
          ).toBe(true);
        }
        expect(await files.stats()).toEqual({ fileCount: 2, directoryCount: 0, totalSize: 2 * size });
        // One chunk fits the file's row.
        expect(rows.lastGeneration()).toBe(size <= chunk ? 0 : 2);
        await files.remove("one.bin");
        await files.remove("two.bin");
        expect([rows.lastGeneration(), rows.garbage()]).toEqual([0, []]);
      }));
  }

  test(`Characters that are split between two chunks are read unchanged (${where})`, () =>
    withRows(async (rows) => {
      const { files } = stage(rows);
      for (const shift of [0, 1, 2, 3]) {
        const text = `${"x".repeat(chunk - shift)}𐍈ü${"y".repeat(10)}`;
        await files.write("text", text, plain);
        expect((await textOf(files, "text")) === text).toBe(true);
        expect((await files.stat("text"))?.size).toBe(chunk - shift + 4 + 2 + 10);
        const before = chunk - shift - 1;
        const lines = `${"x\n".repeat(Math.floor(before / 2))}${before % 2 === 1 ? "\n" : ""}`;
        await files.write("text", `${lines}a𐍈üb\nlast`, plain);
        const number = lines.split("\n").length;
        expect((await files.grep("^(a𐍈üb|last)$")).results).toEqual([
          {
            path: "/text",
            matches: [
              { line: number, content: "a𐍈üb" },
              { line: number + 1, content: "last" },
            ],
          },
        ]);
      }
    }));

  test(`A read of a range returns the requested bytes up to the end of the file (${where})`, () =>
    withRows(async (rows) => {
      const { files } = stage(rows);
      const bytes = pattern(2 * chunk + 100);
      await files.write("large", bytes, binary);
      await files.write("small", bytes.subarray(0, 100), binary);
      await files.write("empty", "", plain);
      const ranges = [
        { offset: 0 },
        { offset: 0, length: 0 },
        { offset: 5, length: 10 },
        { offset: 99, length: 1 },
        { offset: 100 },
        { offset: chunk - 1, length: 2 },
        { offset: chunk, length: chunk },
        { offset: chunk - 10, length: chunk + 20 },
        { offset: 2 * chunk + 50, length: 1000 },
        { offset: 2 * chunk + 100 },
        { offset: 5 * chunk, length: 3 },
        { offset: 3, length: Number.MAX_SAFE_INTEGER },
      ];
      for (const [path, whole] of [
        ["large", bytes],
        ["small", bytes.subarray(0, 100)],
        ["empty", new Uint8Array()],
      ] as const) {
        for (const range of ranges) {
          const end = range.length === undefined ? undefined : range.offset + range.length;
          const got = await bytesOf((await files.open(path, range))?.body ?? new ReadableStream());
          expect([path, range, same(got, whole.subarray(range.offset, end))]).toEqual([path, range, true]);
        }
      }
      for (const offset of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        expect(await codeOf(files.open("small", { offset }))).toBe("invalid_request");
        expect(await codeOf(files.open("small", { offset: 0, length: offset }))).toBe("invalid_request");
      }
    }));

  test(`A change of a buffer that was written to or read from a file does not change the file (${where})`, () =>
    withRows(async (rows) => {
      const { files } = stage(rows);
      const outer = pattern(300);
      const bytes = outer.subarray(100, 200);
      const kept = bytes.slice();
      await files.write("file", bytes, binary);
      outer.fill(0);
      const read = await files.read("file");
      expect(same(read, kept)).toBe(true);
      read?.fill(0);
      expect(same(await files.read("file"), kept)).toBe(true);
    }));

  test(`A read of a whole file is refused if the file is too large for it, and the file can be read by chunks (${where})`, () =>
    withRows(async (rows) => {
      const { files } = stage(rows);
      const size = 33 * 1024 * 1024;
      const piece = pattern(1024 * 1024);
      await files.write("huge", endless(piece, size), binary);
      expect(await codeOf(files.read("huge"))).toBe("too_large");
      let received = 0;
      for await (const { data } of (await files.chunks("huge")) ?? []) received += data.byteLength;
      expect(received).toBe(size);
      await files.remove("huge");
      expect(rows.lastGeneration()).toBe(0);
    }));

  test(`An abort ends a read of a file by chunks, before the first chunk and between two (${where})`, () =>
    withRows(async (rows) => {
      const { files } = stage(rows);
      await files.write("file", pattern(3 * chunk), binary);
      const stopped = await files.chunks("file", AbortSignal.abort());
      const none = [];
      for await (const one of stopped ?? []) none.push(one);
      expect(none).toEqual([]);
      const abort = new AbortController();
      const received: number[] = [];
      for await (const { index } of (await files.chunks("file", abort.signal)) ?? []) {
        received.push(index);
        if (index === 1) abort.abort();
      }
      expect(received).toEqual([0, 1]);
    }));
}

/** A piece, repeated up to this many bytes in total. */
function endless(piece: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let left = size;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = piece.slice(0, left);
      left -= part.byteLength;
      if (part.byteLength === 0) controller.close();
      else controller.enqueue(part);
    },
  });
}
