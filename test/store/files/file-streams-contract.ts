// The contract of every file system while bytes arrive: sources that fail, readers whose file is replaced, simultaneous writers, and how
// little of a file is in memory.

import { expect, test } from "vitest";

import type { WriteFacts } from "#core/ports/thread-file-port.ts";
import type { Change } from "#store/files/file-change.ts";
import type { FileRows } from "#store/files/file-rows.ts";
import type { ManagedThreadFiles } from "#store/files/file-system.ts";

import { bytesOf, chunk, codeOf, pattern, plain, same, stage, streamOf, textOf } from "./file-stage.ts";
import type { WithRows } from "./file-stage.ts";

/** Whether there are no rows of chunks or garbage; only valid if no file has chunks. */
function clean(rows: FileRows): boolean {
  return rows.lastGeneration() === 0 && rows.garbage().length === 0;
}

/** A source that repeats one piece and ends as requested; it records how it was used. */
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
    test(`A file write leaves the file unchanged if its source fails after ${pieces} chunks (${where})`, () =>
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

  test(`A file write is stopped at the limit of a file's size if its source never ends (${where})`, () =>
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

  test(`The source stream of a refused file write is cancelled, and a source that yields text instead of bytes is refused (${where})`, () =>
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

  test(`A file is written from a stream and read as a stream with few chunks in memory (${where})`, () =>
    withRows(async (rows) => {
      // Bytes that were yielded and are not stored yet are in memory, and so are bytes that were read and not taken yet.
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

  /** Writes a stream of one byte, which arrives when its gate is opened. */
  function gated(files: ManagedThreadFiles, path: string, facts: Partial<WriteFacts> = {}) {
    const gate = Promise.withResolvers<void>();
    const state = { begun: false, cancelled: false };
    const stream = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          state.begun = true;
          await gate.promise;
          if (state.cancelled) return;
          controller.enqueue(new Uint8Array([1]));
          controller.close();
        },
        cancel() {
          state.cancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    const written = files.write(path, stream, { ...plain, ...facts });
    return { state, written, open: () => gate.resolve() };
  }

  const begunOf = (writes: readonly { state: { begun: boolean } }[]) =>
    writes.flatMap(({ state }, index) => (state.begun ? [index] : []));

  test(`At most three streamed uploads and two streamed writes of the thread's code run at a time (${where})`, () =>
    withRows(async (rows) => {
      const { files } = stage(rows);
      const outside = Array.from({ length: 7 }, (_, at) => gated(files, `outside/${at}`, { outside: true }));
      const own = Array.from({ length: 5 }, (_, at) => gated(files, `own/${at}`));
      // Bytes in memory do not wait for streams, wherever they come from.
      await files.write("now", "now", { ...plain, outside: true });
      expect([begunOf(outside), begunOf(own)]).toEqual([
        [0, 1, 2],
        [0, 1],
      ]);
      own[1]?.open();
      await own[1]?.written;
      await files.write("now", "again", plain);
      expect([begunOf(outside), begunOf(own)]).toEqual([
        [0, 1, 2],
        [0, 1, 2],
      ]);
      outside[0]?.open();
      await outside[0]?.written;
      await files.write("now", "again", plain);
      expect([begunOf(outside), begunOf(own)]).toEqual([
        [0, 1, 2, 3],
        [0, 1, 2],
      ]);
      for (const { open } of [...outside, ...own]) open();
      for (const { written } of [...outside, ...own]) expect((await written).size).toBe(1);
    }));

  for (const outside of [false, true]) {
    test(`An aborted file write frees its slot or its position in the queue, and leaves the file unchanged (${where})`, () =>
      withRows(async (rows) => {
        const { files } = stage(rows);
        await files.write("file", "old", plain);
        const abort = new AbortController();
        const cut = Array.from({ length: 4 }, () => gated(files, "file", { outside, signal: abort.signal }));
        const behind = gated(files, "behind", { outside });
        behind.open();
        const codes = Promise.all(cut.map(({ written }) => codeOf(written)));
        expect(behind.state.begun).toBe(false);
        abort.abort(new Error("stopped"));
        expect(await codes).toEqual(["conflict", "conflict", "conflict", "conflict"]);
        expect((await behind.written).size).toBe(1);
        const late = gated(files, "file", { outside, signal: abort.signal });
        expect(await codeOf(late.written)).toBe("conflict");
        expect([...cut, late].map(({ state }) => state.cancelled)).toEqual([true, true, true, true, true]);
        expect(late.state.begun).toBe(false);
        expect(await textOf(files, "file")).toBe("old");
        expect(clean(rows)).toBe(true);
      }));
  }

  test(`The stored part of an aborted file write is deleted, whatever the source of its bytes does afterwards (${where})`, () =>
    withRows(async (rows) => {
      const { files } = stage(rows);
      const abort = new AbortController();
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const writer = writable.getWriter();
      const code = codeOf(files.write("new/file", readable, { ...plain, signal: abort.signal }));
      await writer.write(pattern(3 * chunk));
      await writer.write(new Uint8Array(1));
      expect(clean(rows)).toBe(false);
      abort.abort();
      expect(await code).toBe("conflict");
      await writer.close().catch(() => undefined);
      expect(clean(rows)).toBe(true);
      expect(await files.stats()).toEqual({ fileCount: 0, directoryCount: 0, totalSize: 0 });
      // A signal that never aborts, and one that aborts after the end, change nothing.
      expect(
        (await files.write("file", streamOf(pattern(9)), { ...plain, signal: new AbortController().signal })).size,
      ).toBe(9);
    }));

  test(`If two writes of one file overlap, the last to end replaces the whole file, and nothing of the other remains (${where})`, () =>
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

  test(`A change of a file is undone if its event cannot be written; the change and its event are written in one transaction (${where})`, () =>
    withRows(async (rows) => {
      const emitted: unknown[] = [];
      const refusing = { on: false };
      const change: Change = (work) =>
        rows.transaction(() => {
          const { result, events } = work();
          if (refusing.on) throw new Error("The client is gone");
          for (const one of events) emitted.push([one.path, one.file?.size ?? null]);
          return result;
        });
      const { files } = stage(rows, { change });
      const large = pattern(chunk + 1);
      await files.write("a/file", "old", plain);
      await files.makeFolder("made");
      await files.makeFolder("a");
      await files.link("a/link", "https://example.com/x", { ...plain, size: 7 });
      const before = (await files.find("**/*")).paths;
      refusing.on = true;
      for (const call of [
        () => files.write("a/file", "new", plain),
        () => files.write("b/file", streamOf(large), plain),
        () => files.attach("file", large, plain),
        () => files.link("c/link", "https://example.com/", plain),
        () => files.makeFolder("d/e"),
        () => files.remove("a/file"),
        () => files.removeFolder("made"),
      ]) {
        await expect(call()).rejects.toThrow("The client is gone");
      }
      expect(await textOf(files, "a/file")).toBe("old");
      expect((await files.find("**/*")).paths).toEqual(before);
      expect((await files.list("/")).map(({ path }) => path)).toEqual(["/a", "/made"]);
      expect(clean(rows)).toBe(true);
      refusing.on = false;
      await files.remove("a/file");
      await files.removeFolder("made");
      await files.write("b/file", streamOf(large), plain);
      expect(emitted).toEqual([
        ["/a/file", 3],
        ["/made", 0],
        ["/a/link", 7],
        ["/a/file", null],
        ["/made", null],
        ["/b/file", large.byteLength],
      ]);
    }));

  for (const size of [10, 3 * chunk]) {
    test(`A read of a file of ${size} bytes fails with conflict if the file is replaced or removed meanwhile (${where})`, () =>
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

  test(`A clean-up of a thread's files does not delete the chunks of an active write, and deletes chunks without a file (${where})`, () =>
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
      // The state as another instance of the object would see it: no one writes these chunks.
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
      // A later instance continues the numbers of the stored chunks.
      const next = stage(rows).files;
      await next.write("other", pattern(chunk + 1), plain);
      expect(rows.lastGeneration()).toBe(78);
      expect(await next.sweep()).toBe(true);
      expect([rows.chunk(77, 0), rows.chunk(77, 1), rows.garbage()]).toEqual([null, null, []]);
      expect(same(await next.read("file"), bytes)).toBe(true);
    }));
}
