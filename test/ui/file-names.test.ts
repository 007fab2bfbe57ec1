// Names of files: no two look the same on the page, and an address can contain any name.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { isVisible as isVisibleToServer } from "#lib/visible-text.ts";
import { filesAddress, filesRoute, placeOf, queryFrom } from "#playground/files/file-address.ts";
import { foldersAbove, isWithin, joined, nameOf, numbered, parentOf } from "#playground/files/path.ts";
import { isVisible, piecesOf, visibleText } from "#playground/kit/visible-text.ts";

/** Names that the server accepts. */
const name = fc
  .string({ unit: "binary", minLength: 1, maxLength: 12 })
  .filter((text) => !/[/\\\p{Cc}\p{Cs}]/u.test(text) && text !== "." && text !== "..");

describe("names of files", () => {
  it.each([
    ["plain.txt", "plain.txt"],
    ["two words.txt", "two words.txt"],
    ["invoice\u202Efdp.exe", "invoice‹U+202E›fdp.exe"],
    ["a\u200Bb", "a‹U+200B›b"],
    ["a\u2028b\u00ADc", "a‹U+2028›b‹U+00AD›c"],
    ["a\u00A0b\u3164", "a‹U+00A0›b‹U+3164›"],
    [" edges ", "‹U+0020›edges‹U+0020›"],
    ["ملف.txt", "ملف.txt"],
    ["👨\u200D👩\u200D👧 ❤\uFE0F.png", "👨\u200D👩\u200D👧 ❤\uFE0F.png"],
    ["a\u200Db", "a‹U+200D›b"],
    ["<b>&amp;", "<b>&amp;"],
  ])("The page shows the file name %j as %j", (given, shown) => {
    expect(visibleText(given)).toBe(shown);
  });

  it("A displayed file name contains all of its characters, with marks for invisible ones", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const pieces = piecesOf(text);
        const back = pieces.map((piece) =>
          piece.mark ? String.fromCodePoint(Number.parseInt(piece.text.slice(2), 16)) : piece.text,
        );
        expect(back.join("")).toBe(text);
      }),
    );
  });

  it("The address of a file page contains any file path in a form that a browser keeps", () => {
    fc.assert(
      fc.property(fc.array(name, { maxLength: 4 }), fc.boolean(), (names, folder) => {
        const path = `/${names.join("/")}`;
        const url = new URL(filesAddress("some-thread", { path, folder }, { line: 3 }), "http://x");
        expect(placeOf(url.pathname)).toEqual({ path, folder: folder || names.length === 0 });
        expect(filesRoute.exec(decodeURI(url.pathname))?.groups).toEqual({ id: "some-thread" });
        expect(queryFrom(url.search).line).toBe(3);
      }),
    );
  });

  it("An address of another page, or with invalid encoding, is not read as the address of a file", () => {
    expect([placeOf("/threads/t/files/%"), placeOf("/threads/t/filesystem"), placeOf("/threads/t")]).toEqual([
      null,
      null,
      null,
    ]);
    expect(placeOf("/threads/t/files")).toEqual({ path: "/", folder: true });
    expect(filesRoute.test("/threads/t/files/two\u2028lines")).toBe(true);
  });

  it("The address of a file search contains the search text unchanged", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), name, (find, below) => {
        const query = { find, by: "names" as const, below: `/${below}` };
        const url = new URL(filesAddress("t", { path: "/", folder: true }, query), "http://x");
        expect(queryFrom(url.search)).toEqual({ ...query, line: null, editing: false });
      }),
    );
    expect(queryFrom("?line=-1&by=none")).toEqual({ find: "", by: "text", below: "/", line: null, editing: false });
  });

  it("The functions for file paths return a path's folder, its name and its parent folders, and add a number before the extension", () => {
    expect([parentOf("/a/b"), parentOf("/a"), parentOf("/")]).toEqual(["/a", "/", "/"]);
    expect([nameOf("/a/b.c"), nameOf("/")]).toEqual(["b.c", ""]);
    expect([joined("/", "a"), joined("/a", "b")]).toEqual(["/a", "/a/b"]);
    expect(foldersAbove("/a/b/c")).toEqual(["/a", "/a/b"]);
    expect([isWithin("/a", "/a/b"), isWithin("/a", "/ab"), isWithin("/", "/ab")]).toEqual([true, false, true]);
    expect([numbered("/a/b.tar.gz", 2), numbered("/.env", 3), numbered("/x", 2)]).toEqual([
      "/a/b.tar (2).gz",
      "/.env (3)",
      "/x (2)",
    ]);
  });
});

it("The page and the server agree for each character whether it is visible", () => {
  for (let point = 0; point <= 0x10ffff; point += 1) {
    const character = String.fromCodePoint(point);
    if (isVisible(character) !== isVisibleToServer(character)) expect.fail(`U+${point.toString(16)}`);
  }
});
