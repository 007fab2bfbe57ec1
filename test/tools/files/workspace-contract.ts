// The contract of the file tools: the same texts and results over the files of a thread and over a folder of a machine.

import { describe, expect, it } from "vitest";

/** Files, and the tools over them. */
export interface FilePlace {
  put: (path: string, content: string | Uint8Array) => Promise<void>;
  read: (path: string) => Promise<string>;
  /** Calls a tool. `text` is the text that the model reads, which begins with `Error: ` for an error. */
  call: (tool: string, args: Record<string, unknown>) => Promise<{ text: string; details: unknown }>;
}

/** Checks the tools over the files that `open` creates. */
export function checkFileTools(name: string, open: () => Promise<FilePlace>): void {
  /** The files, and a function that returns the text of a call. */
  const place = async (files: Record<string, string> = {}) => {
    const opened = await open();
    for (const [path, content] of Object.entries(files)) await opened.put(path, content);
    return { ...opened, text: async (tool: string, args: object) => (await opened.call(tool, { ...args })).text };
  };

  describe(`the file tools over ${name}`, () => {
    it("The tool read_file returns numbered lines, the requested part of them, and a reason if it cannot", async () => {
      const { put, call, text } = await place({ "/notes.txt": "one\ntwo\r\nthree\n", "/a/b": "x" });
      expect(await call("read_file", { path: "notes.txt" })).toEqual({
        text: "[3 lines]\n   1 | one\n   2 | two\n   3 | three",
        details: { path: "notes.txt" },
      });
      expect(await text("read_file", { path: "/a/../notes.txt", offset: 2, limit: 1 })).toBe(
        "[Lines 2-2 of 3]\n   2 | two",
      );
      expect(await text("read_file", { path: "none" })).toContain("Error: Cannot access none: there is no such file");
      expect(await text("read_file", { path: "a" })).toContain("Error: Cannot access a: it is a folder");
      expect(await text("read_file", { path: "../x" })).toContain("leads out of");
      expect(await text("read_file", { path: "a/../../x" })).toContain("leads out of");
      await put("/binary", new Uint8Array([0xff, 0xfe, 0x00]));
      expect(await text("read_file", { path: "binary" })).toContain("binary is not a text file");
      await put("/large.txt", `${"x".repeat(99)}\n`.repeat(11_000));
      expect(await text("read_file", { path: "large.txt" })).toContain("Error: File too large. Use offset/limit");
      expect(await text("read_file", { path: "large.txt", offset: 11_000 })).toContain("[Lines 11000-11000 of 11000]");
    });

    it("The tool read_file returns short lines of a file in which other lines are longer than the limit", async () => {
      const { text } = await place({ "/a.js": `short\n${"x".repeat(1_200_000)}\r\n${"y".repeat(1_200_000)}\nlast` });
      expect(await text("read_file", { path: "a.js", offset: 4 })).toBe("[Lines 4-4 of 4]\n   4 | last");
      expect(await text("read_file", { path: "a.js", limit: 1 })).toBe("[Lines 1-1 of 4]\n   1 | short");
      expect(await text("read_file", { path: "a.js", offset: 2, limit: 1 })).toContain("Error: File too large");
    });

    it("The tool write_file creates the folders of a file and replaces the file as a whole", async () => {
      const { read, call, text } = await place({ "/file": "x" });
      expect(await call("write_file", { path: "src/deep/a.ts", content: "ä\n" })).toEqual({
        text: "Wrote 3 bytes to src/deep/a.ts",
        details: { path: "src/deep/a.ts" },
      });
      expect(await read("/src/deep/a.ts")).toBe("ä\n");
      await text("write_file", { path: "/src/deep/a.ts", content: "" });
      expect(await read("/src/deep/a.ts")).toBe("");
      expect(await text("write_file", { path: "src", content: "x" })).toContain("it is a folder");
      expect(await text("write_file", { path: "file/b", content: "x" })).toContain("is a file");
      expect(await text("write_file", { path: "../b", content: "x" })).toContain("leads out of");
    });

    it("The tool edit_file replaces the one occurrence, and refuses none and several with a hint", async () => {
      const { read, call, text } = await place({
        "/a.ts": "function one() {\n  return 1;\n}\nfunction two() {\n  return 1;\n}\n",
      });
      expect(await call("edit_file", { path: "a.ts", old_text: "one() {\n  return 1;", new_text: "one() {" })).toEqual({
        text: "Replaced 2 line(s) with 1 line(s) in a.ts",
        details: { path: "a.ts", old_lines: 2, new_lines: 1 },
      });
      const after = "function one() {\n}\nfunction two() {\n  return 1;\n}\n";
      expect(await read("/a.ts")).toBe(after);
      const edit = (path: string, old_text: string) => text("edit_file", { path, old_text, new_text: "x" });
      expect(await edit("a.ts", "function")).toBe(
        "Error: old_text matches 2 locations. Include more context to make match unique.",
      );
      expect(await edit("a.ts", "function two() {\n  return 2;")).toContain(
        "Did you mean:\n```\nfunction two() {\n  return 1;",
      );
      expect(await edit("b.ts", "a")).toBe("Error: Cannot read b.ts. Use write_file to create new files.");
      expect(await read("/a.ts")).toBe(after);
    });

    it("The tool edit_file refuses a text that occurs twice, also if the occurrences overlap", async () => {
      const { read, text } = await place({ "/a.txt": "aXaXa", "/b.txt": "x".repeat(5000) });
      const edit = (path: string, old_text: string) => text("edit_file", { path, old_text, new_text: "B" });
      expect(await edit("a.txt", "aXa")).toContain("Error: old_text matches 2 locations.");
      expect(await edit("b.txt", "xx")).toContain("Error: old_text matches at least 1000 locations.");
      expect(await read("/a.txt")).toBe("aXaXa");
    });

    it("The tool list_files returns the sorted paths that match, without folders of dependencies and builds", async () => {
      const { call, text } = await place({
        "/a.ts": "x",
        "/src/b.ts": "x",
        "/src/c.js": "x",
        "/src/deep/d.ts": "x",
        "/.env": "x",
        "/node_modules/e.ts": "x",
        "/x/.git/f.ts": "x",
        "/x/target/g.ts": "x",
      });
      expect(await call("list_files", {})).toEqual({
        text: "/.env\n/a.ts\n/src/b.ts\n/src/c.js\n/src/deep/d.ts\n\n(5 files)",
        details: { total: 5, truncated: false },
      });
      expect(await text("list_files", { pattern: "*.ts" })).toBe("/a.ts\n/src/b.ts\n/src/deep/d.ts\n\n(3 files)");
      expect(await text("list_files", { path: "src", pattern: "deep/*.ts" })).toBe("/src/deep/d.ts\n\n(1 files)");
      expect(await text("list_files", { path: "/src", max_depth: 1 })).toBe("/src/b.ts\n/src/c.js\n\n(2 files)");
      expect(await text("list_files", { path: "src", pattern: "*.md" })).toBe("No files found in src");
      expect(await text("list_files", { path: "none" })).toBe(
        "Error: Directory not found: none. Check the path and try again.",
      );
      expect(await text("list_files", { path: ".." })).toContain("leads out of");
    });

    it("The tool search returns path, line and text of matching lines", async () => {
      const { put, call, text } = await place({
        "/src/a.ts": "Needle\nhay\nneedle 2\n",
        "/b.md": "a NEEDLE",
        "/node_modules/c.md": "needle",
        "/odd[1] (x).md": "needle",
      });
      await put("/binary", new Uint8Array([0, ...new TextEncoder().encode("needle")]));
      expect(await call("search", { pattern: "needle" })).toEqual({
        text: "/b.md:1:a NEEDLE\n/odd[1] (x).md:1:needle\n/src/a.ts:1:Needle\n/src/a.ts:3:needle 2\n(4 matches)",
        details: { matches: 4, truncated: false },
      });
      expect(await text("search", { pattern: "needle", case_sensitive: true })).toContain("(2 matches)");
      expect(await text("search", { pattern: "needle", include: "*.ts" })).toBe(
        "/src/a.ts:1:Needle\n/src/a.ts:3:needle 2\n(2 matches)",
      );
      expect(await text("search", { pattern: "needle", path: "src" })).toContain("(2 matches)");
      expect(await text("search", { pattern: "needle", path: "odd[1] (x).md" })).toBe(
        "/odd[1] (x).md:1:needle\n(1 matches)",
      );
      expect(await text("search", { pattern: "needle", path: "none" })).toContain("Error: Path not found: none");
      expect(await text("search", { pattern: "no such text" })).toBe("No matches found for 'no such text'");
      expect(await text("search", { pattern: "(" })).toContain("cannot be searched for");
      await put("/many", "needle\n".repeat(60));
      expect(await call("search", { pattern: "needle", path: "many" })).toMatchObject({
        text: expect.stringContaining("/many:50:needle\n... (showing first 50 matches)"),
        details: { matches: 50, truncated: true },
      });
    });
  });
}
