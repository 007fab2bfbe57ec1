// Standard Agents, threads: the files of a thread, as tools and endpoints see them.

import type { FileRecord, ThreadState, WriteFileOptions } from "@standardagents/spec";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { realPng } from "../support/real-png.ts";
import { start } from "./project.ts";

// The generated type of the bindings does not contain IMAGES.
const { IMAGES } = env as unknown as { IMAGES: ImagesBinding };

/** Calls `work` with the state of a new thread. */
async function withFiles<T>(work: (state: ThreadState) => T | Promise<T>): Promise<T> {
  const { thread } = await start();
  return thread.atRest(work);
}

const bytes = (...values: number[]): ArrayBuffer => new Uint8Array(values).buffer;
/** Compares millions of bytes faster than `toEqual`. */
const sameBytes = (left: Uint8Array | undefined, right: Uint8Array): boolean =>
  left?.byteLength === right.byteLength && left.every((byte, at) => byte === right[at]);
const textOf = (data: ArrayBuffer | null) => (data === null ? null : new TextDecoder().decode(data));

describe("writeFile", () => {
  it("SAFILE1 writeFile writes a file of the thread, which can be read after the run and in a later run, and returns its record", async () => {
    const { thread } = await start();
    const record = await thread.inRun((state) => state.writeFile("notes/a.txt", "words", "text/plain"));
    expect(record).toMatchObject({ path: "/notes/a.txt", size: 5 });
    expect(textOf(await thread.atRest((state) => state.readFile("notes/a.txt")))).toBe("words");
    expect(textOf(await thread.inRun((state) => state.readFile("notes/a.txt")))).toBe("words");
    const { thread: other } = await start();
    expect(await other.atRest((state) => state.readFile("notes/a.txt"))).toBeNull();
  });

  it("SAFILE2 The path of writeFile identifies the file, and another write with the same path replaces the file", async () => {
    await withFiles(async (state) => {
      await state.writeFile("a.txt", "one", "text/plain");
      await state.writeFile("b.txt", "two", "text/plain");
      await state.writeFile("a.txt", "three", "text/plain");
      expect([textOf(await state.readFile("a.txt")), textOf(await state.readFile("b.txt"))]).toEqual(["three", "two"]);
      await expect(state.writeFile("../a.txt", "x", "text/plain")).rejects.toThrow();
    });
  });

  it("SAFILE3 The data of writeFile may be text or bytes", async () => {
    await withFiles(async (state) => {
      await state.writeFile("text", "é", "text/plain");
      await state.writeFile("bytes", bytes(0, 255, 1), "application/octet-stream");
      expect([...new Uint8Array((await state.readFile("text")) ?? bytes())]).toEqual([0xc3, 0xa9]);
      expect([...new Uint8Array((await state.readFile("bytes")) ?? bytes())]).toEqual([0, 255, 1]);
    });
  });

  it("SAFILE4 The mimeType of writeFile is stored, and the file is served with it", async () => {
    for (const mimeType of ["text/css", "application/json"]) {
      const { project, thread } = await start();
      const record = await thread.atRest((state) => state.writeFile("a", "{}", mimeType));
      const served = await project.fetch(`/api/threads/${thread.id}/files/a`);
      expect([record.mimeType, served.headers.get("content-type")?.split(";")[0]]).toEqual([mimeType, mimeType]);
    }
  });

  const optional = (options?: WriteFileOptions): Promise<FileRecord | null> =>
    withFiles(async (state) => {
      await state.writeFile("a.bin", "x", "image/x-unknown", options);
      return state.statFile("a.bin");
    });

  it("SAFILE5 WriteFileOptions.metadata is stored with the file", async () => {
    expect((await optional({ metadata: { from: { page: 1 } } }))?.metadata).toEqual({ from: { page: 1 } });
    expect(await optional()).not.toHaveProperty("metadata");
  });

  it("SAFILE6 WriteFileOptions.width is stored with an image", async () => {
    expect((await optional({ width: 640 }))?.width).toBe(640);
    expect(await optional()).not.toHaveProperty("width");
  });

  it("SAFILE7 WriteFileOptions.height is stored with an image", async () => {
    expect((await optional({ height: 480 }))?.height).toBe(480);
    expect(await optional()).not.toHaveProperty("height");
  });
});

describe("reading", () => {
  it("SAFILE8 readFile returns the bytes of a file, and null if there is no file", async () => {
    await withFiles(async (state) => {
      await state.writeFile("a", "one", "text/plain");
      expect(await state.readFile("a")).toBeInstanceOf(ArrayBuffer);
      expect([textOf(await state.readFile("a")), await state.readFile("b")]).toEqual(["one", null]);
    });
  });

  /** A file of four million bytes, chunk by chunk. */
  async function chunks(signal?: (index: number) => AbortSignal | undefined) {
    const controller = new AbortController();
    return withFiles(async (state) => {
      const whole = new Uint8Array(4_000_000).map((_, index) => index % 251);
      await state.writeFile("large", whole.buffer, "application/octet-stream");
      const stream = await state.readFileStream("large", signal === undefined ? {} : { signal: controller.signal });
      const read = [];
      for await (const chunk of stream ?? []) {
        read.push({ ...chunk, bytes: chunk.data.byteLength, first: chunk.data[0] });
        if (signal !== undefined) controller.abort();
      }
      return { read, whole };
    });
  }

  it("SAFILE9 readFileStream returns a large file chunk by chunk, a small file as a single chunk, and null if there is no file", async () => {
    const { read, whole } = await chunks();
    expect(read.length).toBeGreaterThan(1);
    const joined = new Uint8Array(
      await new Blob(read.map(({ data }) => data as Uint8Array<ArrayBuffer>)).arrayBuffer(),
    );
    expect(sameBytes(joined, whole)).toBe(true);
    await withFiles(async (state) => {
      await state.writeFile("small", "words", "text/plain");
      const small = [];
      for await (const chunk of (await state.readFileStream("small")) ?? [])
        small.push(textOf(chunk.data.slice().buffer));
      expect(small).toEqual(["words"]);
      expect(await state.readFileStream("none")).toBeNull();
    });
  });

  it("SAFILE10 ReadFileStreamOptions.signal ends the stream, and chunks that were returned stay valid", async () => {
    const { read, whole } = await chunks(() => undefined);
    expect(read).toHaveLength(1);
    expect(sameBytes(read[0]?.data, whole.subarray(0, read[0]?.bytes))).toBe(true);
  });

  it("SAFILE11 FileChunk.data is the bytes of one chunk, at most 1.75 MiB", async () => {
    const { read, whole } = await chunks();
    expect(read.reduce((sum, chunk) => sum + chunk.bytes, 0)).toBe(whole.byteLength);
    expect(Math.max(...read.map((chunk) => chunk.bytes))).toBeLessThanOrEqual(1.75 * 1024 * 1024);
  });

  it("SAFILE12 FileChunk.index counts the chunks from 0", async () => {
    expect((await chunks()).read.map(({ index }) => index)).toEqual([0, 1, 2]);
  });

  it("SAFILE13 FileChunk.totalChunks is the number of chunks", async () => {
    expect((await chunks()).read.map(({ totalChunks }) => totalChunks)).toEqual([3, 3, 3]);
  });

  it("SAFILE14 FileChunk.isLast is true for the last chunk", async () => {
    expect((await chunks()).read.map(({ isLast }) => isLast)).toEqual([false, false, true]);
  });
});

describe("statFile and its record", () => {
  const stat = (path: string): Promise<FileRecord | null> =>
    withFiles(async (state) => {
      await state.writeFile("docs/a.txt", "words", "text/plain");
      return state.statFile(path);
    });

  it("SAFILE15 statFile returns the record of a file or a folder, and null if there is none", async () => {
    expect(await stat("docs/a.txt")).toMatchObject({ isDirectory: false });
    expect(await stat("docs")).toMatchObject({ isDirectory: true });
    expect(await stat("none")).toBeNull();
  });

  it("SAFILE16 FileRecord.path is the path under the thread's root", async () => {
    expect([(await stat("docs/a.txt"))?.path, (await stat("docs"))?.path]).toEqual(["/docs/a.txt", "/docs"]);
  });

  it("SAFILE17 A file record's name is the last part of its path", async () => {
    expect([(await stat("docs/a.txt"))?.name, (await stat("docs"))?.name]).toEqual(["a.txt", "docs"]);
  });

  it("SAFILE18 FileRecord.mimeType is the type with which the file was written", async () => {
    expect((await stat("docs/a.txt"))?.mimeType).toBe("text/plain");
  });

  it("SAFILE19 FileRecord.storage shows where the bytes are: in the thread, or in the bucket for large files", async () => {
    const storage = (size: number) =>
      withFiles(async (state) => (await state.writeFile("a", new ArrayBuffer(size), "application/x-a")).storage);
    expect([await storage(10), await storage(9 * 1024 * 1024)]).toEqual(["thread", "r2"]);
  });

  it("SAFILE20 FileRecord.size is the number of bytes", async () => {
    expect((await stat("docs/a.txt"))?.size).toBe(5);
    expect(await withFiles(async (state) => (await state.writeFile("a", "é", "text/plain")).size)).toBe(2);
  });

  it("SAFILE21 FileRecord.isDirectory distinguishes folders from files", async () => {
    expect([(await stat("docs"))?.isDirectory, (await stat("docs/a.txt"))?.isDirectory]).toEqual([true, false]);
  });

  it("SAFILE22 FileRecord.metadata is the metadata with which the file was written", async () => {
    await withFiles(async (state) => {
      const record = await state.writeFile("a", "x", "text/plain", { metadata: { tag: "draft" } });
      expect(record.metadata).toEqual({ tag: "draft" });
      expect((await state.readdirFile("/")).entries[0]?.metadata).toEqual({ tag: "draft" });
    });
  });

  const image = (width: number, height: number) =>
    withFiles(async (state) => state.writeFile("a.png", (await realPng(width, height)).slice().buffer, "image/png"));

  it("SAFILE23 FileRecord.width of an image is measured if it was not given", async () => {
    expect([(await image(12, 7)).width, (await image(30, 7)).width]).toEqual([12, 30]);
  });

  it("SAFILE24 FileRecord.height of an image is measured if it was not given", async () => {
    expect([(await image(12, 7)).height, (await image(12, 9)).height]).toEqual([7, 9]);
  });

  it("SAFILE25 FileRecord.createdAt does not change when a file is written again", async () => {
    await withFiles(async (state) => {
      const first = await state.writeFile("a", "one", "text/plain");
      const second = await state.writeFile("a", "two", "text/plain");
      expect(second.createdAt).toBe(first.createdAt);
      expect(first.createdAt).toBeGreaterThan(0);
    });
  });

  it("SAFILE26 FileRecord.updatedAt is the time at which the file was last written", async () => {
    await withFiles(async (state) => {
      const first = await state.writeFile("a", "one", "text/plain");
      await state.writeFile("b", "later", "text/plain");
      const second = await state.writeFile("a", "two", "text/plain");
      expect(first.updatedAt).toBe(first.createdAt);
      expect(second.updatedAt).toBeGreaterThanOrEqual(first.updatedAt ?? Infinity);
    });
  });

  it("SAFILE26 FileRecord.updatedAt changes when the file is written again, and createdAt does not", async () => {
    const { thread } = await start();
    const write = (path: string) => thread.atRest((state) => state.writeFile(path, path, "text/plain"));
    const first = await write("a");
    // The clock of a Worker moves between requests: another file is written until it shows a later time.
    let later = first;
    for (let tries = 0; tries < 1000 && later.updatedAt === first.updatedAt; tries += 1) later = await write("b");
    const second = await write("a");
    expect(second.updatedAt).toBeGreaterThan(first.updatedAt ?? Infinity);
    expect(second.createdAt).toBe(first.createdAt);
  });
});

describe("folders", () => {
  it("SAFILE27 readdirFile lists the contents of a folder, and not those of its subfolders", async () => {
    await withFiles(async (state) => {
      for (const path of ["a.txt", "docs/b.txt", "docs/deep/c.txt"]) await state.writeFile(path, "x", "text/plain");
      const names = async (path: string) => (await state.readdirFile(path)).entries.map(({ name }) => name);
      expect(await names("/")).toEqual(["a.txt", "docs"]);
      expect(await names("docs")).toEqual(["b.txt", "deep"]);
      await expect(state.readdirFile("none")).rejects.toThrow(/none/);
    });
  });

  it("SAFILE28 ReaddirResult.entries are records of files and folders", async () => {
    await withFiles(async (state) => {
      await state.writeFile("docs/a.txt", "x", "text/plain");
      expect((await state.readdirFile("docs")).entries).toEqual([await state.statFile("docs/a.txt")]);
      expect((await state.readdirFile("/")).entries).toEqual([await state.statFile("docs")]);
    });
  });

  it("SAFILE29 unlinkFile deletes a file", async () => {
    await withFiles(async (state) => {
      await state.writeFile("a", "x", "text/plain");
      await state.unlinkFile("a");
      expect(await state.statFile("a")).toBeNull();
      await expect(state.unlinkFile("a")).rejects.toThrow();
    });
  });

  it("SAFILE30 mkdirFile creates a folder and returns its record", async () => {
    await withFiles(async (state) => {
      expect(await state.statFile("docs")).toBeNull();
      expect(await state.mkdirFile("docs")).toMatchObject({ path: "/docs", isDirectory: true });
      expect((await state.readdirFile("docs")).entries).toEqual([]);
    });
  });

  it("SAFILE31 rmdirFile removes an empty folder and refuses a folder with contents", async () => {
    await withFiles(async (state) => {
      await state.mkdirFile("empty");
      await state.writeFile("full/a", "x", "text/plain");
      await state.rmdirFile("empty");
      expect(await state.statFile("empty")).toBeNull();
      await expect(state.rmdirFile("full")).rejects.toThrow(/not empty/);
      expect(await state.statFile("full/a")).not.toBeNull();
    });
  });
});

describe("all files", () => {
  const stats = () =>
    withFiles(async (state) => {
      const before = await state.getFileStats();
      await state.writeFile("a", "12345", "text/plain");
      await state.writeFile("docs/b", "123", "text/plain");
      await state.mkdirFile("empty");
      return { before, after: await state.getFileStats() };
    });

  it("SAFILE32 getFileStats counts files, folders and bytes", async () => {
    expect((await stats()).before).toEqual({ fileCount: 0, directoryCount: 0, totalSize: 0 });
    expect((await stats()).after).toEqual({ fileCount: 2, directoryCount: 2, totalSize: 8 });
  });

  it("SAFILE33 FileStats.fileCount counts the files of the thread", async () => {
    expect((await stats()).after.fileCount).toBe(2);
  });

  it("SAFILE34 FileStats.directoryCount counts the folders, also those that exist only as parts of paths", async () => {
    expect((await stats()).after.directoryCount).toBe(2);
  });

  it("SAFILE35 FileStats.totalSize is the bytes of all files", async () => {
    expect((await stats()).after.totalSize).toBe(8);
  });

  const grep = (pattern: string) =>
    withFiles(async (state) => {
      await state.writeFile("a.txt", "one cat\nno animal\ntwo cats", "text/plain");
      await state.writeFile("docs/b.txt", "a dog", "text/plain");
      return state.grepFiles(pattern);
    });

  it("SAFILE36 grepFiles finds the lines that a regular expression matches", async () => {
    expect(await grep("cats?$")).toEqual([
      {
        path: "/a.txt",
        matches: [
          { line: 1, content: "one cat" },
          { line: 3, content: "two cats" },
        ],
      },
    ]);
    expect(await grep("horse")).toEqual([]);
    await expect(grep("(")).rejects.toThrow();
  });

  it("SAFILE37 GrepResult.path is the path of the file", async () => {
    expect((await grep("a (cat|dog)|animal")).map(({ path }) => path)).toEqual(["/a.txt", "/docs/b.txt"]);
  });

  it("SAFILE38 GrepResult.matches are the matching lines of the file", async () => {
    expect((await grep("animal|dog")).map(({ matches }) => matches.length)).toEqual([1, 1]);
  });

  it("SAFILE39 The line of a GrepResult match is its number, from 1", async () => {
    expect((await grep("animal"))[0]?.matches.map(({ line }) => line)).toEqual([2]);
  });

  it("SAFILE40 The content of a GrepResult match is the whole line", async () => {
    expect((await grep("anim"))[0]?.matches.map(({ content }) => content)).toEqual(["no animal"]);
  });

  it("SAFILE41 findFiles finds the paths that a glob matches", async () => {
    await withFiles(async (state) => {
      for (const path of ["a.txt", "b.json", "docs/c.txt", "docs/deep/d.json"]) {
        await state.writeFile(path, "x", "text/plain");
      }
      const find = async (glob: string) => (await state.findFiles(glob)).paths;
      expect(await find("*.txt")).toEqual(["/a.txt"]);
      expect(await find("**/*.json")).toEqual(["/b.json", "/docs/deep/d.json"]);
      expect(await find("/docs/*")).toEqual(["/docs/c.txt"]);
    });
  });

  it("SAFILE42 FindResult.paths are the paths of the files that were found", async () => {
    await withFiles(async (state) => {
      await state.writeFile("a.txt", "x", "text/plain");
      expect(await state.findFiles("*")).toEqual({ paths: ["/a.txt"] });
      expect(await state.findFiles("*.css")).toEqual({ paths: [] });
    });
  });

  it("SAFILE43 getFileThumbnail returns a thumbnail of an image, and null for anything else", async () => {
    await withFiles(async (state) => {
      await state.writeFile("a.png", (await realPng(800, 600)).slice().buffer, "image/png");
      await state.writeFile("a.txt", "words", "text/plain");
      const thumbnail = await state.getFileThumbnail("a.png");
      expect(await IMAGES.info(new Blob([thumbnail ?? new ArrayBuffer(0)]).stream())).toMatchObject({
        width: 256,
        height: 192,
      });
      expect([await state.getFileThumbnail("a.txt"), await state.getFileThumbnail("none")]).toEqual([null, null]);
    });
  });
});
