// The stored code of large CommonJS files: scripts/lib/compile-cache.cjs.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { fromRoot } from "../../scripts/lib/paths.mjs";

it("With the compile cache, a large script runs its current text each time, also after an edit that keeps its length", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "compile-cache-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, "large.cjs");
  const run = () => {
    const args = ["--require", fromRoot("scripts/lib/compile-cache.cjs"), file];
    return spawnSync(process.execPath, args, { encoding: "utf8" }).stdout;
  };
  const text = (word: string) => `console.log("${word}"); // ${"x".repeat(600_000)}`;
  writeFileSync(file, text("first"));
  expect([run(), run()]).toEqual(["first\n", "first\n"]);
  writeFileSync(file, text("other"));
  expect([run(), run()]).toEqual(["other\n", "other\n"]);
});
