// Paths: one spelling for each file, and no way out of a thread's root.

import fc from "fast-check";
import { expect, test } from "vitest";

import { ThreadholdError } from "#contract/error.ts";
import { depthLimit, filePath, foldersAbove, joined, nameLimit, pathLimit } from "#store/files/file-path.ts";

import { memoryFileRows } from "../../support/memory-store/memory-file-rows.ts";
import { codeOf, plain, stage } from "./file-stage.ts";

const seed = Date.now() % 2 ** 31;
const runs = { numRuns: 3000, seed };
console.info(`seed ${seed}`);

/** The path, or null if it is refused as expected. */
function pathOf(given: unknown): string | null {
  try {
    return filePath(given).path;
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ThreadholdError);
    expect((thrown as ThreadholdError).code).toBe("invalid_request");
    return null;
  }
}

const bytes = (text: string) => new TextEncoder().encode(text).byteLength;

/** Strings that look like paths, and other strings. */
const given = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          "/",
          "/",
          "/",
          "..",
          ".",
          "a",
          "é",
          "e\u0301",
          "\u212b",
          "\\",
          "\u0000",
          "\u007f",
          "\u0085",
          "\ud800",
        ),
        fc.constantFrom(
          " ",
          "%2e",
          "%2f",
          "\u2024",
          "\u2215",
          "\uff0e",
          "\uff0f",
          "\u202e",
          "~",
          "C:",
          "__proto__",
          "\ufeff",
        ),
        fc.string({ unit: "grapheme", maxLength: 5 }),
      ),
      { maxLength: 30 },
    )
    .map((pieces) => pieces.join("")),
  fc.nat(300).map((count) => "n".repeat(count)),
  fc.nat(100).map((count) => "d/".repeat(count)),
);

test("Any file path is refused or becomes one normalised path inside the root folder", () => {
  fc.assert(
    fc.property(given, (text) => {
      const path = pathOf(text);
      if (path === null) return;
      const names = path === "/" ? [] : path.split("/").slice(1);
      expect(path).toBe(path.normalize("NFC"));
      expect(path.startsWith("/")).toBe(true);
      expect(names.every((name) => name !== "" && name !== "." && name !== ".." && bytes(name) <= nameLimit)).toBe(
        true,
      );
      expect(bytes(path)).toBeLessThanOrEqual(pathLimit);
      expect(names.length).toBeLessThanOrEqual(depthLimit);
      expect(/[\p{Cc}\p{Cs}\\]/u.test(path)).toBe(false);
      // A second normalisation changes nothing, with or without the leading slash.
      expect(pathOf(path)).toBe(path);
      expect(pathOf(path.slice(1))).toBe(path);
      const { parent, name } = filePath(path);
      if (name !== "") expect(joined(parent, name)).toBe(path);
      const above = foldersAbove(filePath(path)).map((folder) => folder.path);
      expect(above).toEqual(names.slice(0, -1).map((_, at) => `/${names.slice(0, at + 1).join("/")}`));
    }),
    runs,
  );
});

test("Two spellings of one file path lead to the same file", async () => {
  await fc.assert(
    fc.asyncProperty(given, async (text) => {
      const path = pathOf(text);
      if (path === null || path === "/") return;
      const { files } = stage(memoryFileRows());
      await files.write(text, "x", plain);
      expect((await files.write(path, "y", plain)).path).toBe(path);
      expect((await files.find("/**")).paths).toEqual([path]);
      await files.remove(text.normalize("NFD"));
      expect(await files.list("/")).toEqual([]);
    }),
    { ...runs, numRuns: 300 },
  );
});

test("A file path is refused if it leads out of the root folder, has control characters, backslashes or unpaired surrogates, or is too long or too deep", async () => {
  const attacks: unknown[] = [
    "..",
    "../x",
    "/..",
    "a/../../x",
    "a/b/../../../c",
    "./../x",
    "//../x",
    "a\\..\\..\\x",
    "..\\x",
    "a\u0000.png",
    "a\nb",
    "a\rb",
    "a\tb",
    "\u007f",
    "\u009f",
    "\ud800",
    "x\udc00y",
    "n".repeat(256),
    "é".repeat(128),
    "a/".repeat(64) + "x",
    "abc/".repeat(300),
    `${"n".repeat(250)}/`.repeat(5),
    "/".repeat(100_000),
    "../".repeat(10_000),
    "x".repeat(10_000_000),
    undefined,
    null,
    5,
    Number.NaN,
    {},
    [],
    ["a"],
    Symbol("a"),
    Object.create(null),
    { toString: () => "a" },
    () => "a",
    10n,
  ];
  const { files } = stage(memoryFileRows());
  for (const attack of attacks) {
    expect([String(typeof attack), pathOf(attack)]).toEqual([typeof attack, null]);
    const path = attack as string;
    const calls = [
      files.write(path, "x", plain),
      files.link(path, "https://example.com", plain),
      files.read(path),
      files.open(path),
      files.chunks(path),
      files.entry(path),
      files.stat(path),
      files.list(path),
      files.remove(path),
      files.makeFolder(path),
      files.removeFolder(path),
      files.thumbnail(path),
      files.grep("x", { path: attack === undefined ? ".." : path }),
      files.find("*", { path: attack === undefined ? ".." : path }),
    ];
    expect(await Promise.all(calls.map(codeOf))).toEqual(calls.map(() => "invalid_request"));
  }
  expect(await files.stats()).toEqual({ fileCount: 0, directoryCount: 0, totalSize: 0 });
});

test("A file name that only resembles a refused path is accepted", () => {
  for (const name of [
    "...",
    "..a",
    "a..",
    " ",
    "%2e%2e",
    "~",
    "C:",
    "__proto__",
    "constructor",
    "-",
    "*",
    "a b",
    "\u202e",
    "．．",
  ]) {
    expect(pathOf(name)).toBe(`/${name}`);
  }
  expect(pathOf("a/../b/./c//d/")).toBe("/b/c/d");
  expect(pathOf("e\u0301")).toBe("/\u00e9");
  expect(pathOf("A")).not.toBe(pathOf("a"));
  expect(() => filePath("x".repeat(300))).toThrow(/^The path "x{100}…" has a name of more than 255 bytes\.$/);
});
