// Searching files by content: lines, patterns, and the bounds of a search.

import { expect, test } from "vitest";

import type { SearchOptions } from "#core/ports/thread-file-port.ts";

import { memoryFileRows } from "../../support/memory-store/memory-file-rows.ts";
import { chunk, codeOf, plain, stage } from "./file-stage.ts";

/** The files of a thread, and its matching lines, by number and content. */
async function filled(contents: Record<string, string | Uint8Array>) {
  const { files } = stage(memoryFileRows());
  for (const [path, body] of Object.entries(contents)) await files.write(path, body, plain);
  const lines = async (pattern: string, options?: SearchOptions) =>
    (await files.grep(pattern, options)).results.flatMap(({ path, matches }) =>
      matches.map(({ line, content }) => `${path}:${line}:${content}`),
    );
  return { files, lines };
}

test("A file search matches its pattern line by line, with anchors, flags and character classes", async () => {
  const { lines } = await filled({ "a.txt": "alpha\nBeta\n\ngamma alpha\n", "b.txt": "äpfel 12\nalphabet" });
  expect(await lines("^alpha$")).toEqual(["/a.txt:1:alpha"]);
  expect(await lines("alpha")).toEqual(["/a.txt:1:alpha", "/a.txt:4:gamma alpha", "/b.txt:2:alphabet"]);
  expect(await lines("beta")).toEqual([]);
  expect(await lines("(?i)BETA")).toEqual(["/a.txt:2:Beta"]);
  expect(await lines("^$")).toEqual(["/a.txt:3:"]);
  expect(await lines("\\d{2}$")).toEqual(["/b.txt:1:äpfel 12"]);
  expect(await lines("^\\pL+ ")).toEqual(["/a.txt:4:gamma alpha", "/b.txt:1:äpfel 12"]);
  expect(await lines("alpha\\n")).toEqual([]);
  expect(await lines("(?s)alpha.Beta")).toEqual([]);
  expect(await lines("(a|g).*alpha$")).toEqual(["/a.txt:4:gamma alpha"]);
  expect(await lines("\\balpha\\b")).toEqual(["/a.txt:1:alpha", "/a.txt:4:gamma alpha"]);
});

test("A file search splits lines at LF or CRLF, and the last line needs no end", async () => {
  const { lines } = await filled({ crlf: "one\r\ntwo\r\n\r\nlast", cr: "one\rtwo", bom: "\ufeffone\n", end: "one\n" });
  expect(await lines("^(one|two|last|)$")).toEqual([
    "/bom:1:one",
    "/crlf:1:one",
    "/crlf:2:two",
    "/crlf:3:",
    "/crlf:4:last",
    "/end:1:one",
  ]);
  expect(await lines("two")).toEqual(["/cr:1:one\rtwo", "/crlf:2:two"]);
});

test("A file search has correct lines and line numbers across the border of two chunks", async () => {
  const before = "0123456789abcde\n".repeat(chunk / 16);
  const crossing = `${before.slice(0, -8)}crossing line\r\nnext\r\n`;
  const split = `${before.slice(0, -1)}\r\nafter\n`;
  const { lines } = await filled({ crossing, split, longer: `${before}${before}x` });
  const count = chunk / 16;
  expect(await lines("crossing|next|^after$|^x$")).toEqual([
    `/crossing:${count}:01234567crossing line`,
    `/crossing:${count + 1}:next`,
    `/longer:${2 * count + 1}:x`,
    `/split:${count + 1}:after`,
  ]);
});

test("A file search leaves out binary files, and searches text of any encoding as far as it can be decoded", async () => {
  const binary = new TextEncoder().encode("needle\u0000needle\n");
  const late = new TextEncoder().encode(`${"x\n".repeat(5000)}needle\u0000\n`);
  const { lines } = await filled({
    binary,
    late,
    latin: new Uint8Array([0xe9, 0x20, 0x6e, 0x65, 0x65, 0x64, 0x6c, 0x65]),
  });
  expect(await lines("needle")).toEqual(["/late:5001:needle\u0000", "/latin:1:\ufffd needle"]);
});

test("A file search searches only the beginning of long lines, and shortens them in its results", async () => {
  const far = `${"x".repeat(65_536)}needle`;
  const { lines } = await filled({
    far,
    near: `${"x".repeat(65_530)}needle${"y".repeat(5 * chunk)}\nneedle 2`,
    wide: "ü".repeat(600),
  });
  expect(await lines("needle$")).toEqual([`/near:1:${"x".repeat(500)}…`]);
  expect(await lines("needle 2")).toEqual(["/near:2:needle 2"]);
  expect(await lines("ü")).toEqual([`/wide:1:${"ü".repeat(500)}…`]);
});

test("The results of a file search are limited by files, by lines of a file and by lines in total", async () => {
  const many: Record<string, string> = {};
  for (let n = 0; n < 15; n += 1) many[`m/${String(n).padStart(2, "0")}`] = "hit\n".repeat(2000);
  const { files } = await filled(many);
  const all = await files.grep("hit");
  expect(all.truncated).toBe(true);
  expect(all.results.map(({ matches }) => matches.length)).toEqual(Array.from({ length: 10 }, () => 1000));
  const two = await files.grep("hit", { limit: 2 });
  expect(two.results.map(({ path }) => path)).toEqual(["/m/00", "/m/01"]);
  // As many lines as are shown at most, so the search did not check whether there are more.
  expect(two.truncated).toBe(true);
  for (const limit of [0, -1, 1.5, Number.NaN])
    expect(await codeOf(files.grep("hit", { limit }))).toBe("invalid_request");
  const { files: names } = stage(memoryFileRows());
  for (let n = 0; n < 1005; n += 1) await names.write(`f${n}`, "x", plain);
  expect((await names.find("*")).paths).toHaveLength(1000);
  expect(await names.find("*", { limit: 5000 })).toMatchObject({ paths: { length: 1000 }, truncated: true });
  expect(await names.grep("x")).toMatchObject({ results: { length: 1000 }, truncated: true });
  for (const found of [await names.find("f10*"), await names.grep("x", { path: "f10" }), await names.grep("none")])
    expect(found.truncated).toBe(false);
});

test("A file search in a folder finds matches in all files below it and in no other files", async () => {
  const { files, lines } = await filled({
    "a/x": "hit",
    "a/b/x": "hit",
    "a!/x": "hit",
    a0: "hit",
    "ab/x": "hit",
    "a-/x": "hit",
    x: "hit",
    "é/x": "hit",
    "\uffff/x": "hit",
  });
  expect(await lines("hit", { path: "a" })).toEqual(["/a/b/x:1:hit", "/a/x:1:hit"]);
  expect((await files.find("**", { path: "/a/b/" })).paths).toEqual(["/a/b/x"]);
  expect((await files.find("**", { path: "é" })).paths).toEqual(["/é/x"]);
  expect(await lines("hit", { path: "none" })).toEqual([]);
  expect(await lines("hit")).toHaveLength(9);
  expect(await lines("hit", { path: "/" })).toHaveLength(9);
});

test("A file search ends also for patterns that a backtracking engine would never finish", async () => {
  const text = `${"a".repeat(60_000)}!\n`;
  const { lines } = await filled({ one: text.repeat(5), two: "x ".repeat(30_000) });
  for (const pattern of [
    "(a+)+$",
    "(a|aa)+$",
    "(.*a){20}$",
    "([a-zA-Z]+)*$",
    "(x+x+)+y",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
  ]) {
    expect((await lines(pattern)).length).toBeLessThanOrEqual(6);
  }
});

test("A file search reads less text for a pattern that compiles to many instructions, and the error for an invalid pattern quotes the invalid part", async () => {
  const { files, lines } = await filled({ "a-large": "aaaa\n".repeat(300_000), small: "aaaa\n" });
  // The pattern compiles to 3,000 instructions, with which it may search half a megabyte of text.
  const heavy = await files.grep("(.{0,100}){9}a");
  expect(heavy.results.map(({ path }) => path)).toEqual(["/small"]);
  expect(heavy.truncated).toBe(true);
  expect((await lines("a{4}")).length).toBe(1001);
  const refused: [unknown, RegExp][] = [
    ["(a", /missing closing \): `\(a`/],
    ["a**", /invalid nested repetition operator: `\*\*`/],
    ["[z-a]", /invalid character class range: `z-a`/],
    ["((a{100}){100}){100}", /invalid repeat count/],
    ["\\pX", /invalid character class range: `\\pX`/],
    ["(?=a)b", /looking ahead or behind .*\(\?=/],
    ["(?!a)b", /looking ahead or behind .*\(\?!/],
    ["(?<=a)b", /looking ahead or behind .*\(\?<=/],
    ["(?<!a)b", /looking ahead or behind .*\(\?<!/],
    ["(a)\\1", /references to groups .*`\\1`/],
    ["", /must be a text/],
    ["x".repeat(1001), /1001 characters/],
    [null, /must be a text/],
    [/a/, /must be a text/],
  ];
  for (const [pattern, message] of refused) {
    const call = files.grep(pattern as string);
    expect(await codeOf(call)).toBe("invalid_request");
    await expect(call).rejects.toThrow(message);
  }
});

test("A pattern whose repetitions expand to very many steps is refused before it is compiled", async () => {
  const { files, lines } = await filled({ a: "aaaa\n", b: "x{2000}\n" });
  for (const pattern of [
    "x{1000}".repeat(140),
    "(\\pL{0,1000})".repeat(70),
    `(${"ab".repeat(450)}){1000}`,
    "(((a|b){9}){9}){9,111}",
  ]) {
    const call = files.grep(pattern);
    expect(await codeOf(call)).toBe("invalid_request");
    await expect(call).rejects.toThrow(/invalid repeat count/);
  }
  expect(await lines("^[{}a]{1,1000}$")).toEqual(["/a:1:aaaa"]);
  expect(await lines("\\{2000}")).toEqual(["/b:1:x{2000}"]);
});

test("A file search refuses a pattern whose classes of characters take long to compile", async () => {
  const { files, lines } = await filled({ a: "Ärger-1\nzz" });
  for (const pattern of [
    `[${"\\p{L}\\p{M}".repeat(98)}]`,
    Array(200).fill("\\pL").join("|"),
    `(?i)[${"\u0080-\uffff".repeat(300)}]`,
    `(?i)${"[\\x{80}-\\x{10ffff}]".repeat(40)}`,
  ]) {
    const call = files.grep(pattern);
    expect(await codeOf(call)).toBe("invalid_request");
    await expect(call).rejects.toThrow(/too many categories of characters/);
  }
  expect(await lines("(?i)^[a-z\u0080-\u00ff]+-[\\p{N}a-f]$")).toEqual(["/a:1:Ärger-1"]);
});

test("A file search counts many short lines against its limit, and its result is marked as truncated if a line was searched only in part", async () => {
  const { files } = await filled({ "short/lines": "\n".repeat(70_000), "long/line": `${"x".repeat(65_536)}needle\n` });
  expect(await files.grep("(.{0,100}){9}a", { path: "short" })).toEqual({ results: [], truncated: true });
  expect(await files.grep("needle", { path: "long" })).toEqual({ results: [], truncated: true });
  expect(await files.grep("^x", { path: "long" })).toMatchObject({
    results: [{ path: "/long/line" }],
    truncated: true,
  });
});

test("A file search leaves out a file that is removed during the search", async () => {
  const { files } = await filled({ a: "hit\n".repeat(10), b: `${"x\n".repeat(chunk)}hit` });
  const searching = files.grep("hit");
  await files.remove("b");
  expect((await searching).results.map(({ path }) => path)).toEqual(["/a"]);
});
