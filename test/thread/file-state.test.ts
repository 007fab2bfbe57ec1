// The file methods of ThreadState in a real thread: from a tool of a run and from an endpoint of an idle thread.

import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import type { ThreadState } from "#spec/index.ts";

import { realPng } from "../support/real-png.ts";
import { scripts } from "../worker/definitions.ts";
import { fileFunctions } from "../worker/file-works.ts";
import { converse, newThread } from "./thread-driver.ts";

/** Calls `work` with the thread's state while the thread is idle. */
async function atRest(id: string, work: (state: ThreadState) => Promise<unknown>): Promise<unknown> {
  const name = crypto.randomUUID();
  fileFunctions.set(name, work);
  const path = `http://localhost/api/threads/${id}/work-files?name=${name}`;
  const answer = await exports.default.fetch(new Request(path, { method: "POST" }));
  return answer.json();
}

/** Calls `work` from a tool of a run. */
async function inRun(id: string, work: (state: ThreadState) => Promise<unknown>): Promise<unknown> {
  const name = crypto.randomUUID();
  fileFunctions.set(name, work);
  scripts.set("file", ({ step }) =>
    step === 0 ? { toolCalls: [{ name: "work_files", arguments: { name } }] } : { text: "done" },
  );
  for (const event of await converse(id, "file it")) {
    if (event.type === "tool_execution_end") return JSON.parse(event.result.result ?? "null");
  }
  throw new Error("the tool was not called");
}

const text = (buffer: ArrayBuffer | null) => (buffer === null ? null : new TextDecoder().decode(buffer));

/** Calls every method once, as a definition would. */
async function everything(state: ThreadState): Promise<unknown> {
  const written = await state.writeFile("notes/a.txt", "first line\nsecond\n", "text/plain; charset=utf-8", {
    metadata: { by: "me" },
  });
  const image = await realPng(600, 300);
  const picture = await state.writeFile("a.png", image.slice().buffer, "image/png");
  const chunks = [];
  for await (const one of (await state.readFileStream("notes/a.txt")) ?? []) {
    chunks.push({ ...one, data: new TextDecoder().decode(one.data) });
  }
  const made = await state.mkdirFile("empty");
  const { entries } = await state.readdirFile("/");
  const grep = await state.grepFiles("^second$");
  const found = await state.findFiles("**/*.txt");
  const stats = await state.getFileStats();
  const thumbnail = await state.getFileThumbnail("a.png");
  const read = text(await state.readFile("/notes/a.txt"));
  const stat = await state.statFile("a.png");
  await state.rmdirFile("empty");
  await state.unlinkFile("a.png");
  await state.unlinkFile("notes/a.txt");
  return {
    written,
    picture: [picture.width, picture.height, picture.size === image.byteLength],
    chunks,
    made: made.isDirectory,
    entries: entries.map(({ path }) => path),
    grep,
    found,
    stats: { ...stats, totalSize: stats.totalSize - image.byteLength },
    thumbnail: [thumbnail instanceof ArrayBuffer, (thumbnail?.byteLength ?? 0) > 50],
    read,
    stat: stat?.mimeType,
    after: await state.getFileStats(),
    missing: [await state.readFile("a.png"), await state.readFileStream("a.png"), await state.statFile("a.png")],
    noThumbnail: await state.getFileThumbnail("a.png"),
  };
}

const expected = {
  written: {
    path: "/notes/a.txt",
    name: "a.txt",
    mimeType: "text/plain; charset=utf-8",
    storage: "thread",
    size: 18,
    isDirectory: false,
    metadata: { by: "me" },
    createdAt: expect.any(Number),
    updatedAt: expect.any(Number),
  },
  picture: [600, 300, true],
  chunks: [{ data: "first line\nsecond\n", index: 0, totalChunks: 1, isLast: true }],
  made: true,
  entries: ["/a.png", "/empty", "/notes"],
  grep: [{ path: "/notes/a.txt", matches: [{ line: 2, content: "second" }] }],
  found: { paths: ["/notes/a.txt"] },
  stats: { fileCount: 2, directoryCount: 2, totalSize: 18 },
  thumbnail: [true, true],
  read: "first line\nsecond\n",
  stat: "image/png",
  after: { fileCount: 0, directoryCount: 0, totalSize: 0 },
  missing: [null, null, null],
  noThumbnail: null,
};

describe("the file methods of a thread's state", () => {
  it("The file methods of a thread's state work from an endpoint of an idle thread", async () => {
    expect(await atRest(await newThread("filer"), everything)).toEqual(expected);
  });

  it("The file methods of a thread's state work from a tool during a run", async () => {
    expect(await inRun(await newThread("filer"), everything)).toEqual(expected);
  });

  it("The file methods of a thread's state accept text, buffers and views, and return copies", async () => {
    const id = await newThread("filer");
    const work = async (state: ThreadState) => {
      const buffer = new TextEncoder().encode("0123456789").buffer;
      const values = [
        buffer,
        new Uint8Array(buffer, 2, 3),
        new DataView(buffer, 5, 2),
        new Uint16Array(buffer, 4, 1),
        "",
      ];
      const received = [];
      for (const value of values) {
        await state.writeFile("x", value as ArrayBuffer, "text/plain");
        received.push(text(await state.readFile("x")));
      }
      const [one, other] = [await state.readFile("x"), await state.readFile("x")];
      return [...received, one === other];
    };
    expect(await atRest(id, work)).toEqual(["0123456789", "234", "56", "45", "", false]);
  });

  it("The file methods of a thread's state refuse wrong values from plain JavaScript and name what they accept", async () => {
    const id = await newThread("filer");
    const calls: [(state: Loose) => unknown, RegExp][] = [
      [(state) => state.writeFile(undefined, "x", "text/plain"), /The path "undefined" must be a string/],
      [(state) => state.writeFile({}, "x", "text/plain"), /The path "object" must be a string/],
      [
        (state) => state.writeFile("x", undefined, "text/plain"),
        /takes its data as a string, an ArrayBuffer or a typed array/,
      ],
      [(state) => state.writeFile("x", { a: 1 }, "text/plain"), /takes its data as/],
      [(state) => state.writeFile("x", [1, 2], "text/plain"), /takes its data as/],
      [(state) => state.writeFile("x", new Blob(["x"]), "text/plain"), /takes its data as/],
      [(state) => state.writeFile("x", 5, "text/plain"), /takes its data as/],
      [(state) => state.writeFile("x", "x"), /takes a MIME type such as "text\/plain"/],
      [(state) => state.writeFile("x", "x", "text"), /takes a MIME type/],
      [(state) => state.writeFile("x", "x", "text/plain\r\nX-Evil: 1"), /takes a MIME type/],
      [(state) => state.writeFile("x", "x", "text/plain;\r\nX-Evil: 1"), /takes a MIME type/],
      [(state) => state.writeFile("x", "x", `text/plain; ${"x".repeat(300)}`), /at most 255 characters/],
      [(state) => state.writeFile("x", "x", "text/plain", { metadata: "text" }), /metadata must be a JSON object/],
      [
        (state) => state.writeFile("x", "x", "text/plain", { metadata: { a: () => 1 } }),
        /metadata must be a JSON object/,
      ],
      [
        (state) => state.writeFile("x", "x", "text/plain", { metadata: { a: "x".repeat(70_000) } }),
        /at most 65536 bytes/,
      ],
      [(state) => state.writeFile("x", "x", "text/plain", { width: -1 }), /width must be a whole number of pixels/],
      [(state) => state.writeFile("x", "x", "text/plain", { height: Number.NaN }), /height must be a whole number/],
      [(state) => state.writeFile("../x", "x", "text/plain"), /leads out of the thread's files/],
      [(state) => state.readFile(5), /The path "number" must be a string/],
      [(state) => state.readFileStream("x", { signal: new AbortController() }), /takes an AbortSignal/],
      [(state) => state.readFileStream(null), /must be a string/],
      [(state) => state.statFile(), /must be a string/],
      [(state) => state.readdirFile(), /must be a string/],
      [(state) => state.unlinkFile(Symbol("x")), /must be a string/],
      [(state) => state.mkdirFile(["x"]), /must be a string/],
      [(state) => state.rmdirFile(Object.create(null)), /must be a string/],
      [(state) => state.grepFiles(/x/), /pattern must be a text/],
      [(state) => state.grepFiles("("), /missing closing/],
      [(state) => state.findFiles(), /glob must be a text/],
      [(state) => state.getFileThumbnail({}), /must be a string/],
    ];
    for (const [call, message] of calls) {
      const refused = (await atRest(id, (state) => Promise.resolve(call(state as unknown as Loose)))) as Record<
        string,
        string
      >;
      expect([call.toString(), refused["message"]]).toEqual([call.toString(), expect.stringMatching(message)]);
      expect(["invalid_request", "too_large"]).toContain(refused["refused"]);
    }
    expect(await atRest(id, (state) => state.getFileStats())).toEqual({
      fileCount: 0,
      directoryCount: 0,
      totalSize: 0,
    });
    // A missing option and null mean the same.
    const lenient = (state: ThreadState) =>
      (state as unknown as Loose).writeFile("x", "x", "text/plain", null) as Promise<unknown>;
    expect(await atRest(id, lenient)).not.toHaveProperty("metadata");
  });

  it("The file methods of a thread's state fail with an error that names the missing or existing entry", async () => {
    const id = await newThread("filer");
    const work = async (state: ThreadState) => {
      await state.writeFile("a/b", "x", "text/plain");
      const calls = [
        state.unlinkFile("none"),
        state.readdirFile("none"),
        state.rmdirFile("none"),
        state.unlinkFile("a"),
        state.rmdirFile("a"),
        state.rmdirFile("a/b"),
        state.mkdirFile("a/b"),
        state.readdirFile("a/b"),
        state.writeFile("a", "x", "text/plain"),
        state.writeFile("a/b/c", "x", "text/plain"),
      ];
      const outcomes = await Promise.allSettled(calls);
      return outcomes
        .map((one) => (one.status === "rejected" ? (one.reason as { code: string; message: string }) : null))
        .map((one) => one && `${one.code}: ${one.message}`);
    };
    expect(await inRun(id, work)).toEqual([
      "file_not_found: There is no file /none in this thread.",
      "file_not_found: There is no file /none in this thread.",
      "file_not_found: There is no file /none in this thread.",
      "conflict: /a is a folder. Remove it as one when it is empty.",
      "conflict: /a is not empty.",
      "conflict: /a/b is a file, not a folder.",
      "conflict: /a/b is a file.",
      "conflict: /a/b is a file, not a folder.",
      "conflict: /a is a folder; a file cannot take its place.",
      "conflict: /a/b is a file, so nothing can be stored below it.",
    ]);
  });
});

/** A state as plain JavaScript sees it. */
type Loose = Record<keyof ThreadState, (...given: unknown[]) => unknown>;
