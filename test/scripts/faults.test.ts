// The script that lists fault points, run as a program over small trees: in one each has a name of its own, in one two share.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

const script = fileURLToPath(new URL("../../scripts/faults.mjs", import.meta.url));

function check(tree: string): { code: number | null; lines: string[] } {
  const folder = fileURLToPath(new URL(`fixtures/faults/${tree}/`, import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, [script, folder], { encoding: "utf8" });
  return { code: status, lines: stdout.trim().split("\n") };
}

it("The check of fault points accepts points with unique names right before an await", () => {
  expect(check("distinct")).toEqual({ code: 0, lines: ["2 fault points, 0 problems"] });
});

it("The check of fault points refuses a name that two files use", () => {
  expect(check("shared")).toEqual({
    code: 1,
    lines: ["src/thread/b.ts:2  a.work is already a fault point at src/core/a.ts:2", "2 fault points, 1 problems"],
  });
});
