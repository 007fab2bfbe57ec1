// The stored code of large CommonJS files: scripts/lib/compile-cache.cjs.

import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { fromRoot } from "../../scripts/lib/paths.mjs";

const cache = fromRoot("scripts/lib/compile-cache.cjs");

function project(): { file: string; node: (...modules: string[]) => string } {
  const folder = mkdtempSync(path.join(tmpdir(), "compile-cache-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, "large.cjs");
  const node = (...modules: string[]) => {
    const args = [...modules.flatMap((module) => ["--require", module]), file];
    return spawnSync(process.execPath, args, { encoding: "utf8" }).stdout;
  };
  return { file, node };
}

const filler = `// ${"x".repeat(600_000)}`;

it("With the compile cache, a large script runs its current text each time, also after an edit that keeps its length", () => {
  const { file, node } = project();
  const text = (word: string) => `console.log("${word}"); ${filler}`;
  writeFileSync(file, text("first"));
  expect([node(cache), node(cache)]).toEqual(["first\n", "first\n"]);
  writeFileSync(file, text("other"));
  expect([node(cache), node(cache)]).toEqual(["other\n", "other\n"]);
});

it("A large script that is older than ten seconds is read once, and after an edit that keeps its length it is read again", () => {
  const { file, node } = project();
  // Sets the clock forward, and prints a line when the script is read.
  const observer = `${file}.observer.cjs`;
  const watch = `const fs = require("node:fs"), read = fs.readFileSync, now = Date.now;
Date.now = () => now() + 60_000;
fs.readFileSync = (file, ...others) => (file === ${JSON.stringify(file)} && console.log("read"), read(file, ...others));`;
  writeFileSync(observer, watch);
  const run = () => node(observer, cache);
  const text = (word: string) => `console.log("${word}"); ${filler}`;
  writeFileSync(file, text("first"));
  expect([run(), run(), run()]).toEqual(["read\nfirst\n", "first\n", "first\n"]);
  writeFileSync(file, text("other"));
  expect([run(), run()]).toEqual(["read\nother\n", "other\n"]);
});

it("With the compile cache, a large script has the same characters in its texts, templates and patterns, and imports modules", () => {
  const { file, node } = project();
  // The word makes the text a new one for the cache.
  const text = `// A comment — with ✅ ${randomUUID()}
const parts = ["é – \u{1f9f5} \\– \\\\–", \`✅ \${"–"}\`, "a–b".replace(/[–—]/gu, "✅"), "\\–".match(/\\\\–/)?.index, /^\\–$/.test("–")];
import("node:path").then(({ sep }) => console.log(JSON.stringify([...parts, sep])));
${filler}`;
  writeFileSync(file, text);
  const plain = node();
  expect(plain).toContain("✅ –");
  expect([node(cache), node(cache)]).toEqual([plain, plain]);
});

it("With the compile cache, a large script with spaces and names outside of Latin-1 runs", () => {
  const { file, node } = project();
  writeFileSync(file, `\ufeffconst\u3000𠮷 = "${randomUUID()}"; console.log(𠮷); ${filler}`);
  const plain = node();
  expect(plain).toMatch(/^[\da-f-]{36}\n$/);
  expect([node(cache), node(cache)]).toEqual([plain, plain]);
});
