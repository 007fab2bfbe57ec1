// The programs of examples/loop, without a key: a conversation in a terminal, a coding assistant on a folder, a comparison, a vote of judges, a
// pipeline of agents.

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

it.each([
  { replies: ["2", "3", "2"], votes: "0, 2, 1", selected: "warm: Porto, for its wine." },
  { replies: ["3", "2", "1"], votes: "1, 1, 1", selected: "quick: Lisbon." },
  { replies: ["3", "none", "2"], votes: "0, 1, 1", selected: "warm: Porto, for its wine." },
  { replies: ["3", "none", "4"], votes: "0, 0, 1", selected: "thorough: Faro: in March it is the warmest of them." },
])(
  "The three judges of the examples with the replies $replies select $selected",
  async ({ replies, votes, selected }) => {
    const [voted, answer, tokens] = (await runExample(["loop/judges", "Which city?", ...replies])).split("\n");
    expect([voted, answer]).toEqual([`votes: ${votes}`, selected]);
    expect(tokens).toMatch(/^\(\d+ tokens\)$/);
  },
);

it("The first response is selected, with the reason, if no judge of the examples names one", async () => {
  const [votes, reason, answer] = (await runExample(["loop/judges", "Which city?", "none", "4", "0"])).split("\n");
  expect([votes, reason, answer]).toEqual([
    "votes: 0, 0, 0",
    "The judges selected no answer: No judge named a response.",
    "quick: Lisbon.",
  ]);
});

it("Each agent of the pipeline of the examples works on the text of the agent before it, and the first one on that of its sub-agent", async () => {
  const output = await runExample(["loop/pipeline", "cork"]);
  const lines = output.split("\n").filter((line) => line !== "" && !/^\(\d+ tokens\)$/.test(line));
  expect(lines).toEqual([
    "[researcher]",
    '[look_up {"task":"What is known about cork?"}]',
    'Answer to "What is known about cork?".',
    'Facts: Answer to "What is known about cork?".',
    "[writer]",
    'An article. Facts: Answer to "What is known about cork?".',
    "[editor]",
    'AN ARTICLE. FACTS: ANSWER TO "WHAT IS KNOWN ABOUT CORK?".',
  ]);
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
