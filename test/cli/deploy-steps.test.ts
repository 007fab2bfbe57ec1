// The steps of `threadhold deploy` over a wrangler of the test.

import { setImmediate as laterTurn } from "node:timers/promises";

import { expect, it } from "vitest";

import { deploy, type DeploySettings } from "#cli/deploy/deploy-steps.ts";
import type { RunWrangler } from "#cli/deploy/wrangler-run.ts";

import { writeProject } from "../compiler/temporary-project.ts";

it("A failed deploy ends only when every program that it started has ended", async () => {
  const ended: string[] = [];
  const run: RunWrangler = async ([command = ""]) => {
    if (command === "secret") await laterTurn();
    ended.push(command);
    return { code: 1, stdout: "", errors: `no ${command}`, warnings: [] };
  };
  const database = { name: "threads", id: undefined };
  const settings = { run, migrations: writeProject({}), database, project: { config: {} } };
  await expect(deploy(settings as unknown as DeploySettings)).rejects.toThrow("wrangler d1 list failed: no d1.");
  expect(ended).toEqual(["d1", "secret"]);
});
