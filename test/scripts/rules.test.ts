// The rules script, run as a program over small trees: one is complete, each other has one thing wrong.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

const script = fileURLToPath(new URL("../../scripts/rules.mjs", import.meta.url));

function check(tree: string): { code: number | null; lines: string[] } {
  const folder = fileURLToPath(new URL(`fixtures/rules/${tree}/`, import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, [script, folder], { encoding: "utf8" });
  return { code: status, lines: stdout.trim().split("\n") };
}

it("The check of rules accepts a project in which every rule has a test and every id in a title is a rule", () => {
  expect(check("complete")).toEqual({ code: 0, lines: ["5 rules, 5 tests that name one, 0 problems"] });
});

it.each([
  ["unproven", ["docs/rules.md:2  RUN2 has no test", "test/a.test.ts:2  RUN20 is not a rule"]],
  ["unknown", ["test/a.test.ts:2  RUN7 is not a rule"]],
  ["duplicate", ["docs/rules/run.md:1  RUN1 is already a rule at docs/rules.md:1"]],
  ["hollow", ["docs/reference/standard-agents.md:3  SARUN1 has an empty cell"]],
  ["malformed", ['docs/rules.md:1  RUN1 is not written "- RUN1: sentence"']],
  ["unlisted", ["docs/rules/run.md  docs/rules.md does not list this page"]],
  ["colliding", ["RUNNER begins with the prefix RUN"]],
  [
    "fragments",
    [
      'test/a.test.ts:2  "RUN1 is ended by a stop" does not begin with its subject',
      'test/a.test.ts:3  "a run ends at its limit" begins with a small letter',
      'test/a.test.ts:4  "Another user" has fewer than four words: say who does what',
      'test/a.test.ts:6  "it ends after ${count} steps" does not begin with its subject',
    ],
  ],
])("The check of rules refuses a project with something %s", (tree, problems) => {
  const { code, lines } = check(tree);
  expect(code).toBe(1);
  expect(lines.slice(0, -1)).toEqual(problems);
});
