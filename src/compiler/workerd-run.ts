// Loads bundled definitions in the Workers runtime, in a process that ends when all are loaded. Only workerd can check imports of its
// modules, and an import of a missing module or name would prevent the whole Worker from starting.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { isObject } from "./definition-kind.ts";
import type { ModuleText } from "./module-bundle.ts";
import type { WranglerSettings } from "./wrangler-settings.ts";

/** The result of loading the bundle. */
export type WorkerdOutcome =
  /** The runtime started; `thrown` are the definitions that could not be loaded. */
  | { type: "started"; thrown: { file: string; stack: string }[] }
  /** The runtime did not start, for the reason in `message`. `at` is the position in the bundle, if the runtime reports it. */
  | { type: "refused"; message: string; at?: { line: number; column: number } }
  /** There is no result: the runtime is not installed, or it took too long. */
  | { type: "unknown" };

const timeLimitMs = 10_000;
const resultMark = "threadhold-loaded:";

/** Code that is added to a bundle that exports `load`. In the runtime it loads each definition and prints those that threw. */
export const workerdEntry = `export default {
  async test() {
    const thrown = [];
    for (const [file, loader] of Object.entries(load)) {
      try {
        await loader();
      } catch (error) {
        thrown.push({ file, stack: String(error?.stack ?? error) });
      }
    }
    console.log(${JSON.stringify(resultMark)} + JSON.stringify(thrown));
  },
};`;

/**
 * Runs a bundle that ends in `workerdEntry`, with the modules that it imports, in the runtime of the first of `folders` that has one. `work` is
 * for temporary files.
 */
export async function runInWorkerd(
  { code, modules }: { code: string; modules: readonly ModuleText[] },
  { settings, folders, work }: { settings: WranglerSettings; folders: readonly string[]; work: string },
): Promise<WorkerdOutcome> {
  const program = workerdProgram(folders);
  if (program === undefined) return { type: "unknown" };
  const folderPath = mkdtempSync(join(work, "workerd-"));
  try {
    const all = [{ name: "main.mjs", code }, ...modules];
    for (const module of all) writeFileSync(join(folderPath, module.name), module.code);
    writeFileSync(join(folderPath, "config.capnp"), configuration(all, settings));
    return outcomeOf(await run(program, join(folderPath, "config.capnp")));
  } finally {
    rmSync(folderPath, { recursive: true, force: true });
  }
}

/** The path of the runtime that the wrangler of one of the folders starts. */
function workerdProgram(folders: readonly string[]): string | undefined {
  for (const folder of folders) {
    try {
      const wrangler = createRequire(join(folder, "package.json")).resolve("wrangler/package.json");
      const found: unknown = createRequire(wrangler)("workerd");
      if (isObject(found) && typeof found.default === "string") return found.default;
    } catch {
      // The next folder is tried. Without a runtime for this platform wrangler cannot serve either, and reports the reason.
    }
  }
  return undefined;
}

function configuration(
  modules: readonly ModuleText[],
  { compatibilityDate, compatibilityFlags }: WranglerSettings,
): string {
  const embedded = modules.map(({ name }) => `(name = "${name}", esModule = embed "${name}")`);
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .definitions)]);
const definitions :Workerd.Worker = (
  modules = [${embedded.join(", ")}],
  compatibilityDate = ${JSON.stringify(compatibilityDate)},
  compatibilityFlags = [${compatibilityFlags.map((flag) => JSON.stringify(flag)).join(", ")}],
);
`;
}

interface Ended {
  stdout: string;
  stderr: string;
  failed: boolean;
  cut: boolean;
}

function run(program: string, config: string): Promise<Ended> {
  return new Promise((resolve) => {
    const options = {
      cwd: dirname(config),
      timeout: timeLimitMs,
      killSignal: "SIGKILL" as const,
      maxBuffer: 16 * 1024 * 1024,
    };
    execFile(program, ["test", config], options, (error, stdout, stderr) => {
      resolve({ stdout, stderr, failed: error !== null, cut: error?.killed === true });
    });
  });
}

function outcomeOf({ stdout, stderr, failed, cut }: Ended): WorkerdOutcome {
  const line = stdout.split("\n").findLast((text) => text.startsWith(resultMark));
  if (line !== undefined) {
    return { type: "started", thrown: JSON.parse(line.slice(resultMark.length)) as { file: string; stack: string }[] };
  }
  const refusal = /^service main: (?:Uncaught )?(.+)$/m.exec(stderr)?.[1];
  if (!failed || cut || refusal === undefined) return { type: "unknown" };
  const [, row, column] = /^\s+at main\.mjs:(\d+):(\d+)/m.exec(stderr) ?? [];
  const at = row === undefined ? {} : { at: { line: Number(row), column: Number(column) } };
  return { type: "refused", message: refusal, ...at };
}
