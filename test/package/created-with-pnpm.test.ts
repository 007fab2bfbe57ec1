// A project of `create-threadhold` with pnpm, which runs no build scripts of dependencies.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterAll, beforeAll, expect, inject, it } from "vitest";

import { describeCreatedProject } from "./created-project.ts";
import { programPath, root, run } from "./run.ts";

const { createProgram, tarballs } = inject("packed");
const folder = mkdtempSync(path.join(tmpdir(), "threadhold-created-"));
const bin = path.join(folder, "bin");
/** pnpm finds no package of the repository, because the folder of programs has pnpm alone. */
const env = { PATH: `${bin}${path.delimiter}${programPath}`, npm_config_prefer_offline: "true" };

beforeAll(async () => {
  mkdirSync(bin);
  symlinkSync(path.join(root, "node_modules/pnpm/bin/pnpm.cjs"), path.join(bin, "pnpm"));
  const args = ["team-app", "--template", "team", "--yes", "--package-manager", "pnpm", "--threadhold", tarballs];
  const { code, output } = await run([process.execPath, createProgram, ...args], { cwd: folder, env });
  expect([code, output]).toEqual([0, expect.stringContaining("pnpm run dev")]);
});

afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

it("The installation by pnpm blocks the build script of workerd", () => {
  const installed = readFileSync(path.join(folder, "team-app/node_modules/.modules.yaml"), "utf8");
  expect(installed).toMatch(/ignoredBuilds"?:[^\]}]*workerd@/);
});

describeCreatedProject("team", {
  folder: path.join(folder, "team-app"),
  packageManager: "pnpm",
  env,
  agent: "front_desk",
  message: "I want a refund for order 1042",
  events: ["event: agent_handoff", "Refunded 49.00 EUR for a brass lamp."],
});
