// Prepares a project for its tests: compiles `agents/` with the project's own version of the package, and writes the main module of the
// test Worker. The generated module has the exports of the project's own main module, except for the classes of threads.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

import { unstable_readConfig } from "wrangler";

import type { TestingOptions } from "./options.ts";

/** The generated module, relative to the project's root. */
export const testModule = ".threadhold/testing.ts";

const configNames = ["wrangler.json", "wrangler.jsonc", "wrangler.toml"];

/** The settings that are read. `main` is absolute. */
interface WranglerSettings {
  main?: string;
  assets?: { directory?: string };
}

/** Compiles the project and writes its test module. Returns absolute paths. Rejects with the findings of a failed build. */
export async function prepareProject(
  root: string,
  { wrangler, network }: Pick<TestingOptions, "wrangler" | "network">,
): Promise<{ main: string; configPath: string }> {
  const configPath = findConfig(root, wrangler?.configPath);
  const environment = wrangler?.environment === undefined ? {} : { env: wrangler.environment };
  const config = unstable_readConfig({ config: configPath, ...environment }, { hideWarnings: true }) as unknown;
  const { main = path.join(root, ".threadhold/worker.ts"), assets } = config as WranglerSettings;
  await compile(root);
  // The pool refuses a folder of assets that does not exist, and tests of agents need no built page.
  if (assets?.directory !== undefined)
    mkdirSync(path.resolve(path.dirname(configPath), assets.directory), { recursive: true });
  const file = path.join(root, testModule);
  writeWhole(file, moduleSource(path.relative(path.dirname(file), path.resolve(root, main)), network));
  return { main: file, configPath };
}

function findConfig(root: string, given: string | undefined): string {
  const names = given === undefined ? configNames : [given];
  const found = names.map((name) => path.resolve(root, name)).find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new Error(
    given === undefined
      ? `${root} has no wrangler configuration; run the tests in the folder of wrangler.toml, or set the option wrangler.configPath.`
      : `The wrangler configuration ${given} does not exist in ${root}.`,
  );
}

/** Runs the command `build` of the package that the project has installed. */
function compile(root: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const command = [programOf(root), "build", "--root", root];
    execFile(process.execPath, command, { cwd: root, maxBuffer: 1 << 24 }, (error, stdout, stderr) => {
      if (error === null) resolve();
      else reject(new Error(`agents/ cannot be compiled, so no test can run.\n${stdout}${stderr}`.trimEnd()));
    });
  });
}

/** Whether the project uses a built package `threadhold`, and not its sources. */
export function isInstalled(root: string): boolean {
  return entryOf(root).endsWith(".js");
}

function entryOf(root: string): string {
  return createRequire(path.join(root, "package.json")).resolve("threadhold");
}

/** The program of the package `threadhold`, as the project resolves it. */
function programOf(root: string): string {
  for (let folder = path.dirname(entryOf(root)); ; folder = path.dirname(folder)) {
    const file = path.join(folder, "package.json");
    if (existsSync(file)) {
      const { name, bin } = JSON.parse(readFileSync(file, "utf8")) as { name?: string; bin?: { threadhold?: string } };
      if (name === "threadhold" && bin?.threadhold !== undefined) return path.join(folder, bin.threadhold);
    }
    if (folder === path.dirname(folder)) throw new Error(`The package threadhold of ${root} has no program.`);
  }
}

function moduleSource(main: string, network: TestingOptions["network"]): string {
  const relative = main.split(path.sep).join("/");
  const specifier = JSON.stringify(relative.startsWith(".") ? relative : `./${relative}`);
  return `// Generated for tests by threadhold/testing. Do not edit.
import { createTestWorker } from "threadhold/testing";

import { registry } from "./registry.ts";

export * from ${specifier};
export { default } from ${specifier};

export const { ThreadObject, ThreadFeed } = await createTestWorker(registry, { network: ${JSON.stringify(network)} });
`;
}

/** Writes a file if its content differs. A reader never sees a part of it. */
function writeWhole(file: string, content: string): void {
  if (existsSync(file) && readFileSync(file, "utf8") === content) return;
  mkdirSync(path.dirname(file), { recursive: true });
  const temporary = `${file}.${String(process.pid)}.tmp`;
  writeFileSync(temporary, content);
  renameSync(temporary, file);
}
