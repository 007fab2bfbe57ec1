// The example, with the output that its page shows.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

it("The example of an in-process session prints the output that the guide shows", { timeout: 60_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["examples/run.mjs", "session/in-process"], {
    cwd: root,
    env: {},
  });
  const page = readFileSync(`${root}docs/guide/agent-sessions.md`, "utf8");
  const [, shown = "no such block"] = /in-process\n```\n\n```text output\n([^`]*)```/.exec(page) ?? [];
  expect(stdout.replaceAll(/ +$/gm, "")).toBe(shown);
});
