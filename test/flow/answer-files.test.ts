// The files that a tool's result makes in the thread, and the text that the model reads in their place.

import { describe, expect, it } from "vitest";

import { attachmentRefSchema } from "#contract/attachment.ts";
import { refuse } from "#contract/error.ts";
import type { ToolAnswer } from "#core/record/awaited.ts";
import { readToolAnswer, resultLimit, fitResult } from "#core/tools/read-result.ts";
import { answerFiles } from "#flow/tool/store-answer-files.ts";
import { toBase64 } from "#lib/base64.ts";
import { jsonBytes } from "#lib/cut-text.ts";

import { stage } from "../store/files/file-stage.ts";
import { idOf } from "../store/records.ts";
import { MemoryFiles, pngBytes } from "../support/memory-files.ts";
import { memoryFileRows } from "../support/memory-store/memory-file-rows.ts";

const call = { message_id: "m1", name: "draw" };

/** Stores a result's files, and settles them as the result's row does. */
async function kept(said: unknown, files = new MemoryFiles()) {
  let next = 0;
  const store = { files: files.port, newId: () => idOf((next += 1)), onReference: () => {} };
  const answer = await answerFiles(store).keep(readToolAnswer(said), call);
  return { files, answer, row: fitResult(answer) };
}

const ok = (attachments: unknown, result = "done") => ({ status: "success", result, attachments });
const png = { name: "chart.png", mimeType: "image/png", data: toBase64(pngBytes(100)) };

describe("new files", () => {
  it("A file in a tool's result is stored unchanged, and the result refers to it", async () => {
    const { files, row } = await kept(ok([{ ...png, width: 20, height: 10 }]));
    expect(files.stored.get("/attachments/chart.png")?.bytes).toEqual(pngBytes(100));
    expect(row).toEqual({
      status: "success",
      result: "done",
      attachments: [
        {
          id: idOf(1),
          type: "file",
          path: "/attachments/chart.png",
          name: "chart.png",
          mimeType: "image/png",
          size: 100,
          width: 20,
          height: 10,
        },
      ],
    });
  });

  it("The base64 bytes of a file in a tool's result are decoded at any length, with padding or without, and also from a data URL", async () => {
    for (const length of [0, 1, 2, 3, 49_151, 49_152, 49_153, 300_001]) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 7 + 3) % 256);
      const data = toBase64(bytes);
      for (const text of [data, data.replace(/=+$/, ""), `data:image/png;base64,${data}`]) {
        const { files } = await kept(ok([{ ...png, data: text }]));
        const stored = files.stored.get("/attachments/chart.png")?.bytes;
        expect([stored?.length, stored?.every((byte, at) => byte === bytes[at])]).toEqual([length, true]);
      }
    }
  });

  it.for([
    ["../../etc/passwd", "passwd"],
    ["a/b\\c.txt", "c.txt"],
    ["..", "attachment.png"],
    ["", "attachment.png"],
    ["a\u0000\n]b.png", "ab.png"],
    ["\ud800.png", "\ufffd.png"],
    ["__proto__", "__proto__"],
  ])("A file with the name %j in a tool's result is stored as %j", async ([name, stored], { expect: expectHere }) => {
    const { files } = await kept(ok([{ ...png, name }]));
    expectHere(files.paths).toEqual([`/attachments/${stored}`]);
  });

  it("A file with a name of 5,000 characters in a tool's result is stored under 120 of them, with the end of its name", async () => {
    const { files } = await kept(ok([{ ...png, name: `${"x".repeat(4996)}.png` }]));
    expect(files.paths).toEqual([`/attachments/${"x".repeat(116)}.png`]);
  });
});

describe("references to files of the thread", () => {
  it("A tool's reference to a file of the thread is kept, with the type, size and name of the stored file", async () => {
    const files = new MemoryFiles();
    files.put("/a.txt", Uint8Array.of(1, 2), "text/plain");
    const { row } = await kept(
      ok([{ id: "mine", type: "file", path: "/a.txt", name: "lie", mimeType: "image/png", size: 9, description: "d" }]),
      files,
    );
    expect(row.attachments).toEqual([
      { id: "mine", type: "file", path: "/a.txt", name: "a.txt", mimeType: "text/plain", size: 2, description: "d" },
    ]);
  });

  it("A tool's reference to a missing file is reported to the model", async () => {
    const { row } = await kept(ok([{ id: "x", type: "file", path: "/gone.txt" }]));
    expect(row).toEqual({
      status: "success",
      result: "done\n[The attachment gone.txt was not kept: this thread has no such file.]",
    });
  });
});

describe("attachments of a tool's result that are dropped", () => {
  const hostile = {
    get name(): string {
      throw new Error("trap");
    },
  };

  it.for<[string, unknown, RegExp]>([
    ["wrong base64", [{ ...png, data: "no base64!" }], /chart\.png was not kept: its data is not base64/],
    ["padding inside", [{ ...png, data: "QQ==QQ==" }], /not base64/],
    ["bytes for text", [{ ...png, data: Uint8Array.of(1) }], /an attachment is \{name, mimeType, data\}/],
    ["no media type", [{ ...png, mimeType: "png" }], /an attachment is/],
    ["null", [null], /an attachment is/],
    ["text", "chart.png", /an attachment is/],
    ["a trap", [hostile], /could not be read or stored/],
    ["an empty object", {}, /an attachment is/],
  ])(
    "An invalid attachment of a tool result (%s) is replaced by a note to the model, and the text of the result is kept",
    async ([, attachments, note], { expect: here }) => {
      const { files, row } = await kept(ok(attachments));
      here(row.status).toBe("success");
      here(row.result).toMatch(/^done\n\[The attachment/);
      here(row.result).toMatch(note);
      here(row.attachments).toBeUndefined();
      here(files.paths).toEqual([]);
      const failed = await kept({ status: "error", error: "broke", attachments });
      here(failed.row.error).toMatch(/^broke\n\[The attachment/);
    },
  );

  it("The first twenty attachments of a tool result are kept, and the others are counted in a note", async () => {
    const { files, row } = await kept(ok(Array.from({ length: 300 }, () => png)));
    expect(files.paths).toHaveLength(20);
    expect(row.attachments).toHaveLength(20);
    expect(row.result).toBe("done\n[280 more attachments were left out: a result holds 20 at most.]");
  });

  it("If a file of a tool result cannot be stored, it is replaced by a note with the reason, without internal details", async () => {
    const files = new MemoryFiles();
    files.refusing = refuse("too_large", "/attachments/chart.png is too large.");
    expect((await kept(ok([png]), files)).row.result).toContain("was not kept: /attachments/chart.png is too large.]");
    files.refusing = new Error("SQLITE_FULL at 0xdead");
    const { row } = await kept(ok([png]), files);
    expect(row.result).toContain("it could not be read or stored.");
    expect(JSON.stringify(row)).not.toContain("SQLITE");
  });
});

describe("long texts", () => {
  const long = `${"a".repeat(10_000)}${"é👍".repeat(200_000)}${"z".repeat(10_000)}`;

  it("If the text of a tool result is too large for a row, it is stored as a file, and the model reads its beginning, end, path and size", async () => {
    const { files, answer, row } = await kept(ok(undefined, long));
    expect(files.text("/attachments/tool-result-m1.txt")).toBe(long);
    const { size } = files.stored.get("/attachments/tool-result-m1.txt")?.record ?? { size: 0 };
    expect(row.result).toContain(`in the file /attachments/tool-result-m1.txt (${size} bytes)`);
    expect(row.result).toContain("a".repeat(8000));
    expect(row.result?.endsWith("z".repeat(4000))).toBe(true);
    expect(row.attachments).toMatchObject([{ path: "/attachments/tool-result-m1.txt", mimeType: "text/plain", size }]);
    expect(jsonBytes(row)).toBeLessThan(100_000);
    expect(row.result).toBe(answer.result);
  });

  it("A repeated call overwrites the file of its first run", async () => {
    const files = new MemoryFiles();
    await kept(ok(undefined, long), files);
    await kept(ok(undefined, `${long}!`), files);
    expect(files.paths).toHaveLength(1);
    expect(files.text("/attachments/tool-result-m1.txt")).toBe(`${long}!`);
  });

  it("A long error of a tool is stored as a file too, and only once if the result repeats it", async () => {
    const error = await kept({ status: "error", error: long });
    expect(error.files.paths).toEqual(["/attachments/tool-result-m1-error.txt"]);
    const repeated = await kept({ status: "error", result: long });
    expect(repeated.files.paths).toEqual(["/attachments/tool-result-m1.txt"]);
    expect(repeated.row.error).toContain("/attachments/tool-result-m1.txt");
    const both = await kept({ status: "error", result: long, error: `${long}?` });
    expect(both.row.attachments).toHaveLength(2);
  });

  it("The text of a tool result is kept in the row if its JSON form has at most the size limit, and is stored as a file if it is larger", async () => {
    const fits = "x".repeat(resultLimit - 2);
    expect((await kept(ok(undefined, fits))).row.result).toBe(fits);
    const control = "\u0001".repeat(resultLimit / 6);
    const { files, row } = await kept(ok(undefined, control));
    expect(files.text("/attachments/tool-result-m1.txt")).toBe(control);
    expect(jsonBytes(row.result)).toBeLessThan(resultLimit);
  });

  it("A model reads the beginning and the end of a long text that cannot be stored, and a note that the rest is lost", async () => {
    const files = new MemoryFiles();
    files.refusing = refuse("too_large", "The thread's files are full.");
    const { row } = await kept(ok(undefined, long), files);
    expect(row.result).toContain("The whole text could not be kept: The thread's files are full.");
    expect(row.result?.endsWith("z".repeat(4000))).toBe(true);
    expect(row.attachments).toBeUndefined();
  });

  it("A long text and the notes about its attachments together fit into one row", async () => {
    const said: ToolAnswer = { status: "success", result: "x".repeat(resultLimit - 2), attachments: [7] };
    const { row } = await kept(said);
    expect(jsonBytes(row.result)).toBeLessThanOrEqual(resultLimit);
    expect(row.result).toMatch(/\[The attachment was not kept: .*\]$/);
  });
});

it("A stored result keeps valid references to files of the thread as attachments, and drops all others", () => {
  const ref = { id: "a", type: "file", path: "/a", name: "a", mimeType: "text/plain", size: 1 };
  expect(fitResult(ok([png, ref, { ...ref, size: -1 }])).attachments).toEqual([attachmentRefSchema.parse(ref)]);
});

describe("a stop", () => {
  it("A stop aborts the storage of a tool result's files, and the result names each file that was not stored", async () => {
    const { files } = stage(memoryFileRows());
    // Streams that never send anything use up all slots.
    const stuck = new AbortController();
    const writes = ["a", "b"].map((path) =>
      files.write(path, new ReadableStream<Uint8Array>(), { mimeType: "text/plain", signal: stuck.signal }),
    );
    const stop = new AbortController();
    const store = { files, newId: () => idOf(1), onReference: () => {} };
    const said = ok([{ name: "a.txt", mimeType: "text/plain", data: toBase64(pngBytes(9)) }], "x".repeat(400_000));
    const keeping = answerFiles(store).keep(readToolAnswer(said), { ...call, signal: stop.signal });
    stop.abort(new Error("stopped"));
    const answer = await keeping;
    expect(answer.attachments).toBeUndefined();
    expect(answer.result).toContain("The whole text could not be kept: /attachments/tool-result-m1.txt was given up");
    expect(answer.result).toContain("[The attachment a.txt was not kept: /attachments/a.txt was given up");
    stuck.abort();
    await Promise.allSettled(writes);
    expect(await files.stats()).toEqual({ fileCount: 0, directoryCount: 0, totalSize: 0 });
  });
});
