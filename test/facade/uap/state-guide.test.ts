// The page on states, trees and checkpoints: its programs have correct types, and those that need no model run.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";

import { expect, it, vi } from "vitest";

import { bundled } from "../../session/support/plain-node.ts";
import { typeCheck } from "../../spec/typed-project.ts";

// The tests start a compiler and programs; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 120_000 });

const page = readFileSync(new URL("../../../docs/guide/agent-state.md", import.meta.url), "utf8");
const programs = [...page.matchAll(/^```ts( run)?\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)].map(
  ([, run, path = "", text = ""]) => ({ runs: run !== undefined, path, text }),
);

it("Every program of the page on states is type-checked without an error", async () => {
  expect(programs.map(({ path }) => path)).toEqual(["src/state.ts", "src/tree.ts", "src/checkpoints.ts"]);
  expect(page.match(/^```ts/gm)).toHaveLength(programs.length);
  const files = Object.fromEntries(programs.map(({ path, text }) => [path, text]));
  expect(await typeCheck(files, { types: ["node"] })).toEqual([]);
});

it.each([
  ["src/state.ts", "1 3 ada true\n"],
  ["src/tree.ts", "3\n2 2\n"],
])("The program %s of the page on states runs and prints its results", async (path, expected) => {
  const program = await bundled(programs.find((each) => each.runs && each.path === path)?.text ?? "");
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [program.file]);
    expect(stdout).toBe(expected);
  } finally {
    program.remove();
  }
});
