// `threadhold init` as a process that is killed before each of its renames. A second run completes the first.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { runCli } from "#cli/run-cli.ts";

import { packageRoot, writeProject, type Files } from "../compiler/temporary-project.ts";
import { inRepository } from "./wrangler-project.ts";

/** A Worker that has files alone, so that init also writes its main module. */
const site: Files = {
  "wrangler.toml": 'name = "site"\n[assets]\ndirectory = "public"\n',
  "tsconfig.json": '{ "include": ["src"] }\n',
  "package.json": '{ "name": "site" }\n',
};

/** Kills the process in place of the rename with the number in KILL_AT, if the process gets that far. */
const killer = `import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const { renameSync } = fs;
let renames = 0;
fs.renameSync = (from, to) => {
  if (from.endsWith(".threadhold.tmp") && (renames += 1) === Number(process.env.KILL_AT)) process.kill(process.pid, "SIGKILL");
  renameSync(from, to);
};
syncBuiltinESMExports();`;

/** Runs the command in this process and returns its exit code. */
function init(root: string): Promise<number> {
  return runCli(["init", "--root", root, "--yes"], {
    env: {},
    cwd: packageRoot,
    packageRoot,
    version: "test",
    print: () => undefined,
    printError: () => undefined,
    colours: false,
    self: ["false"],
  });
}

/** Runs the command as a process and returns the signal that ended it, or its exit code. */
async function killInit(root: string, killAt: number): Promise<unknown> {
  const command = [join(packageRoot, "scripts/threadhold.mjs"), "init", "--root", root, "--yes"];
  const preload = `--import=data:text/javascript,${encodeURIComponent(killer)}`;
  const env = { ...process.env, KILL_AT: String(killAt) };
  const child = spawn(process.execPath, [preload, ...command], { env, stdio: "ignore" });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  return code ?? signal;
}

/** The files of a project with their texts. */
function contentOf(root: string): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).toSorted();
  return Object.fromEntries(paths.map((path) => [path.slice(root.length), readFileSync(path, "utf8")]));
}

it("A second init completes an init that was killed, whichever of its files was to be renamed next", async () => {
  const whole = writeProject(site, inRepository);
  expect(await init(whole)).toBe(0);
  const wanted = contentOf(whole);
  expect(Object.keys(wanted)).toHaveLength(8);
  for (let killAt = 1; killAt <= 8; killAt += 1) {
    const root = writeProject(site, inRepository);
    expect(await killInit(root, killAt)).toBe("SIGKILL");
    // The Worker has no threads before all other files are written.
    expect(contentOf(root)["/wrangler.toml"]).toBe(site["wrangler.toml"]);
    expect(await init(root)).toBe(0);
    expect(contentOf(root), `killed before rename ${String(killAt)}`).toEqual(wanted);
  }
});
