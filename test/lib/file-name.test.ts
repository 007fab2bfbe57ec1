// Names of files from texts of any kind.

import { expect, it } from "vitest";

import { fileName } from "#lib/file-name.ts";

it.each([
  ["a/b/report.pdf", "report.pdf"],
  [" .. notes .txt. ", "notes .txt"],
  ["...", "file"],
  ["a\u0000b\u202E:c", "abc"],
  ["two   spaces", "two spaces"],
])("The text %j is the file name %j", (given, name) => {
  expect(fileName(given, "file")).toBe(name);
});

it("A name with a million dots and spaces is shortened without backtracking", () => {
  expect(fileName(`a${". ".repeat(500_000)}b`, "file")).toHaveLength(120);
});
