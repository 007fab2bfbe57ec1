// The built-in file tools in runs of a real thread: results, limits, errors and details as REQ-048 to REQ-053, REQ-098 to REQ-106 and
// REQ-137 of phi-core's roadmap state them.

import { describe, expect, it } from "vitest";

import { readTool } from "#spec/index.ts";
import type { ThreadState } from "#spec/index.ts";
import {
  createEditFileTool,
  createListFilesTool,
  createReadFileTool,
  createSearchTool,
  createWriteFileTool,
  editFile,
} from "#tools/files/index.ts";
import type { Workspace } from "#tools/files/index.ts";

import { realPng } from "../../support/real-png.ts";
import { ToolCaller } from "../tool-caller.ts";

describe("read_file", () => {
  it("The result for a text file has numbered lines, and the result for a part of the file also has the range of the lines", async () => {
    const coder = await ToolCaller.create("coder");
    await coder.files.put("/notes.txt", "one\ntwo\r\nthree\n");
    const whole = await coder.call("read_file", { path: "notes.txt" });
    expect(whole).toMatchObject({ status: "success", details: { path: "notes.txt" } });
    expect(whole.result).toBe("[3 lines]\n   1 | one\n   2 | two\n   3 | three");
    const read = (args: object) => coder.text("read_file", { path: "/notes.txt", ...args });
    expect(await read({ offset: 2 })).toBe("[Lines 2-3 of 3]\n   2 | two\n   3 | three");
    expect(await read({ offset: 2, limit: 1 })).toBe("[Lines 2-2 of 3]\n   2 | two");
    expect(await read({ limit: 9 })).toContain("[3 lines]");
    expect(await read({ offset: 4 })).toBe("Error: Line 4 does not exist: /notes.txt has 3 lines.");
    await coder.files.put("/empty", "");
    expect(await coder.text("read_file", { path: "empty" })).toBe("[0 lines]");
  });

  it("A text over 1 MiB is read in parts only, and a part over 1 MiB not at all", async () => {
    const coder = await ToolCaller.create("coder");
    const line = `${"x".repeat(99)}\n`;
    await coder.files.put("/large.txt", line.repeat(30_000));
    const read = (args: object) => coder.text("read_file", { path: "/large.txt", ...args });
    expect(await read({})).toContain("Error: File too large. Use offset/limit");
    expect(await read({ offset: 1, limit: 20_000 })).toContain("Error: File too large. Use offset/limit");
    expect(await read({ offset: 29_999 })).toBe(
      `[Lines 29999-30000 of 30000]\n29999 | ${"x".repeat(99)}\n30000 | ${"x".repeat(99)}`,
    );
    await coder.files.put("/line.txt", "x".repeat(1024 * 1024 + 1));
    expect(await coder.text("read_file", { path: "line.txt", limit: 1 })).toContain("Error: File too large");
    // The numbers of the lines count too.
    await coder.files.put("/short.txt", "\n".repeat(200_000));
    expect(await coder.text("read_file", { path: "short.txt" })).toContain("Error: File too large");
    expect(await coder.text("read_file", { path: "short.txt", limit: 2 })).toBe(
      "[Lines 1-2 of 200000]\n   1 | \n   2 | ",
    );
  });

  it("The tool read_file returns an image as an attachment, and refuses an image over 20 MiB", async () => {
    const coder = await ToolCaller.create("coder");
    const picture = await realPng(30, 20);
    await coder.files.put("/a/picture.PNG", picture.slice(), { "content-type": "image/png" });
    const result = await coder.call("read_file", { path: "/a/picture.PNG" });
    expect(result).toMatchObject({
      status: "success",
      details: { path: "/a/picture.PNG", bytes: picture.byteLength },
      attachments: [{ type: "file", path: "/a/picture.PNG", mimeType: "image/png" }],
    });
    // The file itself is the attachment: no copy of it is stored.
    expect(await coder.files.stats()).toMatchObject({ fileCount: 1 });
    await coder.files.put("/large.png", new Uint8Array(20 * 1024 * 1024 + 1), { "content-type": "image/png" });
    expect(await coder.text("read_file", { path: "large.png" })).toContain("Error: Image too large");
  });

  it("A missing file, a folder, a file that is not text, and a path outside of the thread are refused with the reason", async () => {
    const coder = await ToolCaller.create("coder");
    await coder.files.put("/a/b", new Uint8Array([0xff, 0xfe, 0x00]));
    const read = (path: string) => coder.text("read_file", { path });
    expect(await read("none")).toContain("Error: Cannot access none: there is no such file");
    expect(await read("a")).toContain("Error: Cannot access a: it is a folder");
    expect(await read("a/b")).toContain("a/b is not a text file");
    expect(await read("../x")).toContain("leads out of the thread's files");
    expect(await read("")).toContain("path");
  });
});

describe("write_file and edit_file", () => {
  it("A file is written with its folders, and replaced as a whole", async () => {
    const coder = await ToolCaller.create("coder");
    const first = await coder.call("write_file", { path: "src/deep/a.ts", content: "ä\n" });
    expect(first).toMatchObject({ status: "success", result: "Wrote 3 bytes to src/deep/a.ts" });
    expect(first).toMatchObject({ details: { path: "src/deep/a.ts" } });
    expect(await coder.read("/src/deep/a.ts")).toBe("ä\n");
    await coder.call("write_file", { path: "/src/deep/a.ts", content: "" });
    expect(await coder.read("/src/deep/a.ts")).toBe("");
    expect(await coder.text("write_file", { path: "src", content: "x" })).toContain("it is a folder");
    expect(await coder.text("write_file", { path: "src/deep/a.ts/b", content: "x" })).toContain("is a file");
  });

  it("An edit replaces the one occurrence literally, keeps the rest byte by byte, and reports the lines", async () => {
    const coder = await ToolCaller.create("coder");
    const text = "\uFEFFfirst $1\r\nsecond\r\nthird";
    await coder.files.put("/a.txt", text, { "content-type": "text/markdown" });
    const result = await coder.call("edit_file", { path: "a.txt", old_text: "second\r\nth", new_text: "$& $$ b" });
    expect(result).toMatchObject({
      status: "success",
      result: "Replaced 2 line(s) with 1 line(s) in a.txt",
      details: { path: "a.txt", old_lines: 2, new_lines: 1 },
    });
    const stored = await coder.files.get("/a.txt");
    expect(stored.headers.get("content-type")).toBe("text/markdown");
    expect(new Uint8Array(await stored.arrayBuffer())).toEqual(
      new TextEncoder().encode("\uFEFFfirst $1\r\n$& $$ bird"),
    );
  });

  it("An edit is refused with a hint and changes nothing unless its old text occurs exactly once in the file", async () => {
    const coder = await ToolCaller.create("coder");
    await coder.files.put("/a.ts", "function one() {\n  return 1;\n}\nfunction two() {\n  return 1;\n}\n");
    const edit = (old_text: string) => coder.text("edit_file", { path: "a.ts", old_text, new_text: "x" });
    expect(await edit("return 1;")).toBe(
      "Error: old_text matches 2 locations. Include more context to make match unique.",
    );
    expect(await edit("function two() {\n  return 2;")).toContain(
      "old_text not found in a.ts.\n\nDid you mean:\n```\nfunction two() {\n  return 1;\n}\n```",
    );
    expect(await edit("nothing like it")).toContain("old_text not found in a.ts.\n\nTip: Use read_file");
    expect(await coder.text("edit_file", { path: "b.ts", old_text: "a", new_text: "b" })).toBe(
      "Error: Cannot read b.ts. Use write_file to create new files.",
    );
    expect(await coder.read("/a.ts")).toContain("return 1;");
  });

  it("In a file with CRLF line ends, an edit finds a text that is written with LF, and keeps CRLF", async () => {
    const coder = await ToolCaller.create("coder");
    await coder.files.put("/a.txt", "one\r\ntwo\r\nthree\r\n");
    const edit = { path: "a.txt", old_text: "one\ntwo\n", new_text: "1\n2\n" };
    expect(await coder.text("edit_file", edit)).toBe("Replaced 2 line(s) with 2 line(s) in a.txt");
    expect(await coder.read("/a.txt")).toBe("1\r\n2\r\nthree\r\n");
  });

  it("Edits of one file in the same step all remain", async () => {
    const coder = await ToolCaller.create("coder");
    await coder.files.put("/a.txt", "one two three four");
    const edits = ["one", "two", "three", "four"].map(
      (old_text) => ["edit_file", { path: "a.txt", old_text, new_text: old_text.toUpperCase() }] as const,
    );
    const results = await coder.step(...edits);
    expect(results.map(({ status }) => status)).toEqual(["success", "success", "success", "success"]);
    expect(await coder.read("/a.txt")).toBe("ONE TWO THREE FOUR");
  });
});

describe("an edit that a crash interrupted", () => {
  it("An interrupted edit is repeated if the file lacks it, is reported as done if the same call wrote the file, and is an error otherwise", async () => {
    const coder = await ToolCaller.create("coder");
    await coder.files.put("/a.txt", "one two");
    const args = { path: "a.txt", old_text: "one", new_text: "one one" };
    const outcomes = await coder.withState(async (state) => {
      const { run, options } = readTool(editFile);
      const call = { id: "call-1", attempt: 1, signal: new AbortController().signal, progress: () => {} };
      const before = await options.reconcile?.("call-1", args, state);
      await run?.(state, args, call);
      return [
        before,
        await options.reconcile?.("call-1", args, state),
        await options.reconcile?.("call-2", args, state),
      ];
    });
    expect(outcomes).toEqual([
      "not_done",
      {
        status: "success",
        result: "Replaced 1 line(s) with 1 line(s) in a.txt",
        value: { path: "a.txt", old_lines: 1, new_lines: 1 },
      },
      { status: "error", error: expect.stringContaining("it is not known whether it was made") },
    ]);
    expect(await coder.read("/a.txt")).toBe("one one two");
  });

  it("An interrupted edit runs again only if the file shows that the edit is not in it", async () => {
    const coder = await ToolCaller.create("coder");
    await coder.files.put("/a.txt", "first");
    const unknown = { status: "error", error: expect.stringContaining("Read the file, and repeat the edit only if") };
    const reconcile = (old_text: string, new_text: string) =>
      coder.withState(async (state) =>
        readTool(editFile).options.reconcile?.("call-1", { path: "a.txt", old_text, new_text }, state),
      );
    expect(await reconcile("first", "second")).toBe("not_done");
    expect(await reconcile("none", "first")).toBe("not_done");
    // Both texts are in the file after the edit too, and after a deletion no text shows it.
    expect(await reconcile("irs", "i")).toEqual(unknown);
    expect(await reconcile("first", "")).toEqual(unknown);
    // The edit is stored, and another write replaces the metadata that names the edit.
    await coder.withState(async (state) => {
      const call = { id: "call-1", attempt: 1, signal: new AbortController().signal, progress: () => {} };
      return readTool(editFile).run?.(state, { path: "a.txt", old_text: "first", new_text: "first first" }, call);
    });
    await coder.files.put("/a.txt", "first first\n");
    expect(await reconcile("first", "first first")).toEqual(unknown);
  });
});

describe("a call that is cancelled, and one that takes too long", () => {
  it("A call of a file tool that is cancelled before it starts reads and writes no file", async () => {
    const touched: string[] = [];
    const workspace = () => touchedBy(touched);
    const cancelled = { id: "call-1", attempt: 1, signal: AbortSignal.abort(), progress: () => {} };
    for (const [tool, args] of [
      [createReadFileTool({ workspace }), { path: "a" }],
      [createWriteFileTool({ workspace }), { path: "a", content: "b" }],
      [createEditFileTool({ workspace }), { path: "a", old_text: "b", new_text: "c" }],
      [createListFilesTool({ workspace }), {}],
      [createSearchTool({ workspace }), { pattern: "a" }],
    ] as const) {
      const call = readTool(tool).run?.({} as ThreadState, args as never, cancelled);
      await expect(call).rejects.toMatchObject({ name: "AbortError" });
    }
    expect(touched).toEqual([]);
  });

  it("If an edit is cancelled while it reads the file, it writes nothing", async () => {
    const touched: string[] = [];
    const stop = new AbortController();
    const workspace = () =>
      touchedBy(touched, {
        async *read() {
          stop.abort();
          yield new TextEncoder().encode("text");
        },
      });
    const context = { id: "call-1", attempt: 1, signal: stop.signal, progress: () => {} };
    const { run } = readTool(createEditFileTool({ workspace }));
    await expect(run?.({} as ThreadState, { path: "a", old_text: "text", new_text: "c" }, context)).rejects.toThrow();
    expect(touched).toEqual(["stat"]);
  });

  it("If a write is cancelled while it reads the state of the path, it writes nothing", async () => {
    const touched: string[] = [];
    const stop = new AbortController();
    const workspace = () =>
      touchedBy(touched, {
        async stat() {
          stop.abort();
          return null;
        },
      });
    const context = { id: "call-1", attempt: 1, signal: stop.signal, progress: () => {} };
    const { run } = readTool(createWriteFileTool({ workspace }));
    await expect(run?.({} as ThreadState, { path: "a", content: "b" }, context)).rejects.toMatchObject({
      name: "AbortError",
    });
    expect(touched).toEqual([]);
  });

  it("If list_files or search reaches its time limit, the error suggests a narrower request", async () => {
    const untilAborted = ({ signal }: { signal: AbortSignal }) =>
      new Promise<never>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    const workspace = () =>
      touchedBy([], {
        list: untilAborted,
        search: (_pattern, options) => untilAborted(options),
      });
    const context = { id: "call-1", attempt: 1, signal: new AbortController().signal, progress: () => {} };
    const list = readTool(createListFilesTool({ workspace, timeoutMs: 1 }));
    const find = readTool(createSearchTool({ workspace, timeoutMs: 1 }));
    expect(await list.run?.({} as ThreadState, {}, context)).toEqual({
      status: "error",
      error: "Listing timed out. List a folder below it, or use a pattern.",
    });
    expect(await find.run?.({} as ThreadState, { pattern: "a" }, context)).toEqual({
      status: "error",
      error: "Search timed out. Search a folder below it, or use include.",
    });
  });
});

describe("list_files and search", () => {
  it("The tool list_files returns the sorted paths that match and their number, without folders of dependencies and builds", async () => {
    const coder = await ToolCaller.create("coder");
    for (const path of ["/a.ts", "/src/b.ts", "/src/c.js", "/src/deep/d.ts", "/node_modules/e.ts", "/x/.git/f.ts"]) {
      await coder.files.put(path, "x");
    }
    await coder.files.put("/x/target/g.ts", "x");
    const all = await coder.call("list_files", {});
    expect(all.result).toBe("/a.ts\n/src/b.ts\n/src/c.js\n/src/deep/d.ts\n\n(4 files)");
    expect(all).toMatchObject({ details: { total: 4, truncated: false } });
    const list = (args: Record<string, unknown>) => coder.text("list_files", args);
    expect(await list({ pattern: "*.ts" })).toBe("/a.ts\n/src/b.ts\n/src/deep/d.ts\n\n(3 files)");
    expect(await list({ path: "src", pattern: "*.ts" })).toBe("/src/b.ts\n/src/deep/d.ts\n\n(2 files)");
    expect(await list({ path: "src", pattern: "deep/*.ts" })).toBe("/src/deep/d.ts\n\n(1 files)");
    expect(await list({ path: "/src", max_depth: 1 })).toBe("/src/b.ts\n/src/c.js\n\n(2 files)");
    expect(await list({ path: "src", pattern: "*.md" })).toBe("No files found in src");
    expect(await list({ path: "none" })).toBe("Error: Directory not found: none. Check the path and try again.");
  });

  it("The tool search returns path, line and text of matching lines, and ignores case by default", async () => {
    const coder = await ToolCaller.create("coder");
    await coder.files.put("/src/a.ts", "Needle\nhay\nneedle 2\n");
    await coder.files.put("/b.md", "a NEEDLE");
    await coder.files.put("/node_modules/c.md", "needle");
    await coder.files.put("/odd[1] (x).md", "needle");
    const search = (args: object) => coder.text("search", { pattern: "needle", ...args });
    expect(await search({})).toBe(
      "/b.md:1:a NEEDLE\n/odd[1] (x).md:1:needle\n/src/a.ts:1:Needle\n/src/a.ts:3:needle 2\n(4 matches)",
    );
    expect(await search({ case_sensitive: true })).toBe("/odd[1] (x).md:1:needle\n/src/a.ts:3:needle 2\n(2 matches)");
    expect(await search({ include: "*.md" })).toBe("/b.md:1:a NEEDLE\n/odd[1] (x).md:1:needle\n(2 matches)");
    expect(await search({ path: "src" })).toBe("/src/a.ts:1:Needle\n/src/a.ts:3:needle 2\n(2 matches)");
    expect(await search({ path: "odd[1] (x).md" })).toBe("/odd[1] (x).md:1:needle\n(1 matches)");
    expect(await search({ path: "none" })).toContain("Error: Path not found: none");
    expect(await search({ pattern: "no such text" })).toBe("No matches found for 'no such text'");
    expect(await search({ pattern: "(" })).toContain("cannot be searched for");
    expect(await coder.call("search", { pattern: "^hay$" })).toMatchObject({
      details: { matches: 1, truncated: false },
    });
  });

  it("Of ten thousand files list_files shows 200 with their count, and search shows 50 lines, and both read a bounded number of rows", async () => {
    const coder = await ToolCaller.create("coder");
    const script = Array.from({ length: 10 }, (_, folder) => folder);
    for (const folder of script) await coder.fill(folder, 1000);
    const listed = await coder.call("list_files", {});
    expect(listed).toMatchObject({ details: { total: 10_000, truncated: true } });
    expect(listed.result?.split("\n")).toHaveLength(200 + 2);
    expect(listed.result).toContain("... (10000 files, showing first 200)");
    const found = await coder.call("search", { pattern: "content" });
    expect(found).toMatchObject({ details: { matches: 50, truncated: true } });
    expect(found.result).toContain("... (showing first 50 matches)");
    expect(await coder.text("search", { pattern: "file 9999$" })).toBe(
      "/f9/999.txt:1:content of file 9999\n(1 matches)",
    );
    expect(await coder.rowsRead(() => coder.call("list_files", { path: "f3", max_depth: 1 }))).toBeLessThan(3000);
    expect(await coder.rowsRead(() => coder.call("search", { pattern: "content" }))).toBeLessThan(1000);
  });
});

/** A workspace that records the names of the methods that are called. */
function touchedBy(touched: string[], methods: Partial<Workspace> = {}): Workspace {
  const file = { path: "a", size: 1, isDirectory: true, version: null };
  const touch =
    <T>(name: string, result: T) =>
    async () => {
      touched.push(name);
      return result;
    };
  return {
    stat: touch("stat", { ...file, isDirectory: methods.read === undefined }),
    async *read() {
      touched.push("read");
      yield new Uint8Array();
    },
    image: touch("image", {}),
    write: touch("write", undefined),
    list: touch("list", { paths: [], total: 0, truncated: false }),
    search: touch("search", { lines: [], truncated: false }),
    wasWrittenBy: touch("wasWrittenBy", false),
    ...methods,
  };
}
