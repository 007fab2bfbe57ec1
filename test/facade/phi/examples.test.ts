// The programs of examples/loop, without a key: a conversation in a terminal, and a coding assistant on a folder.

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { expect, it, vi } from "vitest";

import { root } from "../../scripts/documents.ts";

vi.setConfig({ testTimeout: 120_000 });

/** Runs an example with the lines of its input. Returns what it printed. */
function runExample(args: readonly string[], lines: readonly string[] = []): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env["PATH"] };
    const child = execFile(process.execPath, ["examples/run.mjs", ...args], { cwd: root, env }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(new Error(error.message, { cause: error })),
    );
    child.stdin?.end(lines.map((line) => `${line}\n`).join(""));
  });
}

it("The conversation of the examples answers, changes its model, forgets, and ends at /quit", async () => {
  const output = await runExample(
    ["loop/repl"],
    ["Hello.", "/model other", "Again.", "/clear", "More.", "/quit", "no"],
  );
  expect(output.split("\n").filter((line) => line.startsWith("This is"))).toEqual([
    "This is claude-sonnet-5-5. You sent 1 messages.",
    "This is other. You sent 3 messages.",
    "This is other. You sent 1 messages.",
  ]);
});

it("The comparison of the examples shows the loops of two configs and of a judge, and the answer that the judge selects", async () => {
  const output = await runExample(["loop/compare"]);
  const loops = [...output.matchAll(/^\[(\w+)\.[0-9a-f]{8}\.(\d): \d+ tokens\]$/gm)].map(
    ([, name, at]) => `${name} ${at}`,
  );
  expect(loops.toSorted()).toEqual(["judge 1", "quick 1", "thorough 2"]);
  expect(output).toContain("\nthorough: Faro: in March");
});

it("The coding assistant of the examples writes a file in its folder with the tools of the machine", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "threadhold-loop-coder-"));
  try {
    expect(await runExample(["loop/coder", folder, "Write a file."])).toContain("[write_file");
    expect(readFileSync(path.join(folder, "notes.txt"), "utf8")).toBe("Written by a loop.\n");
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
});
