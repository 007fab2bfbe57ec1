// The changes of calls that write files, as lines of a diff.

import { expect, it } from "vitest";

import { fileDiffOf } from "#playground/conversation/file-diff.ts";

const shown = (tool: string, args: Parameters<typeof fileDiffOf>[1]) =>
  fileDiffOf(tool, args)?.lines.map(({ kind, text }) => `${{ removed: "-", added: "+", same: " " }[kind]}${text}`) ??
  null;

it("The diff of an edit has the removed and added lines between the lines that both texts share", () => {
  const edit = (old_text: string, new_text: string) => shown("edit_file", { path: "a", old_text, new_text });
  expect(edit("a\nb\nc\n", "a\nB\nc\n")).toEqual([" a", "-b", "+B", " c"]);
  expect(edit("a", "")).toEqual(["-a"]);
  expect(edit("a\na", "a\na\na")).toEqual([" a", " a", "+a"]);
  expect(edit("a\nb\na", "a")).toEqual([" a", "-b", "-a"]);
  expect(edit("a", "a")).toEqual([" a"]);
});

it("The diff of write_file has only added lines, and calls of other tools have no diff", () => {
  expect(shown("write_file", { path: "a", content: "one\ntwo\n" })).toEqual(["+one", "+two"]);
  expect(shown("write_file", { path: "a", content: "" })).toEqual([]);
  expect(shown("write_file", { path: "a" })).toBeNull();
  expect(shown("edit_file", { path: 1, old_text: "a", new_text: "b" })).toBeNull();
  expect(shown("read_file", { path: "a", content: "b" })).toBeNull();
  expect(shown("edit_file", null)).toBeNull();
  expect(shown("edit_file", "still being wri")).toBeNull();
});
