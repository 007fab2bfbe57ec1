// Projects of `create-threadhold` with npm, and what the packed program does if it cannot finish.

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { describeCreatedProject } from "./created-project.ts";
import { linkPackages } from "./linked-packages.ts";
import { run, type ProgramResult } from "./run.ts";

const { createProgram, projects, tarballs } = inject("packed");
const folder = mkdtempSync(path.join(tmpdir(), "threadhold-created-"));
const blank = path.join(folder, "blank-app");

afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

const create = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<ProgramResult> =>
  run([process.execPath, createProgram, ...args, "--threadhold", tarballs], { cwd: folder, env });

/** The packages that a project names, with their versions. */
function packagesOf(project: string): unknown {
  const manifest = JSON.parse(readFileSync(path.join(project, "package.json"), "utf8")) as Record<string, unknown>;
  return [manifest["dependencies"], manifest["devDependencies"]];
}

beforeAll(async () => {
  expect(await create(["blank-app", "--template", "blank", "--yes", "--no-install"])).toMatchObject({ code: 0 });
  expect(packagesOf(blank)).toEqual(packagesOf(projects.assistant));
  linkPackages(projects.assistant, blank);
});

describeCreatedProject("blank", {
  folder: blank,
  packageManager: "npm",
  agent: "assistant",
  message: "Hello",
  events: ["You said: Hello"],
});

describeCreatedProject("assistant", {
  folder: projects.assistant,
  packageManager: "npm",
  agent: "assistant",
  message: "Remember that the door code is 4711",
  events: ['"tool_name":"remember"', 'I keep the note \\"the door code is 4711\\".'],
});

describe("the packed program", () => {
  it("If an older Node runs the program create-threadhold, the program names the version that it needs and writes nothing", async () => {
    const older = `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"18.20.0"}})`;
    const program = [process.execPath, "--import", older, createProgram, "late-app", "--yes", "--no-install"] as const;
    const { code, output } = await run(program, { cwd: folder });
    expect([code, output]).toEqual([
      2,
      "create-threadhold needs Node 20.19 or newer; this is Node 18.20.0. Install the current LTS version from https://nodejs.org.\n",
    ]);
    expect(existsSync(path.join(folder, "late-app"))).toBe(false);
  });

  it("The program create-threadhold keeps the created project if there is no network, and names the command that installs its packages", async () => {
    const env = {
      npm_config_registry: "http://localhost:9/",
      npm_config_cache: path.join(folder, "empty"),
      npm_config_fetch_retries: "0",
    };
    const { code, output } = await create(["offline-app", "--yes", "--no-git"], env);
    expect([code, output]).toEqual([1, expect.stringContaining("could not be installed. Run `npm install` there")]);
    expect(existsSync(path.join(folder, "offline-app/wrangler.toml"))).toBe(true);
  });
});
