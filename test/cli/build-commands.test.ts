// What the commands print in a folder without a project, as text and as JSON.

import { existsSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { runInProcess } from "../compiler/command.ts";
import { good, writeProject } from "../compiler/temporary-project.ts";

async function run(...argv: string[]): Promise<{ code: number; printed: string[]; errors: string[] }> {
  const { code, stdout, stderr } = await runInProcess(argv);
  const texts = (lines: string) => lines.split("\n").slice(0, -1);
  return { code, printed: texts(stdout), errors: texts(stderr) };
}

it.each([["build"], ["check"], ["doctor"], ["deploy"], ["upgrade"], ["init", "--yes"], ["new", "tool", "search"]])(
  "The command %s refuses a folder that does not exist, as text and as JSON, and creates none",
  async (...argv) => {
    const root = join(writeProject({}), "mistyped");
    const error = `The folder ${root} does not exist; correct --root.`;
    expect(await run(...argv, "--root", root)).toEqual({ code: 2, printed: [], errors: [error] });
    const { code, printed, errors } = await run(...argv, "--root", root, "--json");
    expect([code, printed.length, errors]).toEqual([2, 1, []]);
    expect(JSON.parse(printed[0] ?? "")).toMatchObject({ ok: false, error });
    expect(existsSync(root)).toBe(false);
  },
);

it("The command check refuses a folder without definitions", async () => {
  const root = writeProject({});
  const { code, errors } = await run("check", "--root", root);
  expect([code, errors]).toEqual([2, [expect.stringContaining("run npx threadhold new agent assistant")]]);
});

it("With --json the errors for an unknown option and for a refused name are one line of JSON each", async () => {
  const root = writeProject(good);
  const cases = [
    [["build", "--jsn"], "unknown option '--jsn'"],
    [["new", "tool", "1st", "--root", root], '"1st" is not a name.'],
    [["new", "thing", "one"], "'thing' is invalid"],
  ] as const;
  for (const [argv, expected] of cases) {
    const { code, printed, errors } = await run(...argv, "--json");
    expect([code, printed.length, errors]).toEqual([2, 1, []]);
    const { ok, error } = JSON.parse(printed[0] ?? "") as { ok: boolean; error: string };
    expect([ok, error]).toEqual([false, expect.stringContaining(expected)]);
  }
});

it("The command new with --json prints the created file and the next step", async () => {
  const root = writeProject(good);
  const { code, printed } = await run("new", "prompt", "other", "--root", root, "--json");
  expect([code, printed.map((line) => JSON.parse(line) as unknown)]).toEqual([
    0,
    [
      {
        ok: true,
        file: "agents/prompts/other.ts",
        uses: { name: "fast", file: "agents/models/fast.ts" },
        missing: null,
        next: 'name it in an agent: sideA: { prompt: "other" }',
      },
    ],
  ]);
});
