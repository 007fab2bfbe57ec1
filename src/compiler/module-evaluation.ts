// Loads the bundled definitions in Node one by one. For each that fails it finds the reason and the position. Loading must not affect
// the build: output goes to stderr, and a module that does not finish is abandoned.

import { createHash } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";

import { waitWithin } from "#lib/time-limit.ts";
import { platformTimers } from "#lib/timers.ts";

import { isObject } from "./definition-kind.ts";
import { mappedSource, type BundlePaths, type SourceMapMaker } from "./module-bundle.ts";

/** A definition's exports, or the reason why it could not be loaded. */
export type ModuleOutcome =
  | { type: "loaded"; exports: Record<string, unknown> }
  | { type: "threw"; message: string; at?: { file: string; line: number; column: number } };

type Loader = () => Promise<unknown>;

const loadTimeoutMs = 10_000;

/** The bundle to load. The file at `paths.outputFile` is written and removed again. */
export interface LoadableBundle {
  code: string;
  makeSourceMap: SourceMapMaker;
  paths: BundlePaths;
}

let named = 0;

/** A file name for the bundle of a project. It is new for each build, because Node loads a file only once in a process. */
export function bundleFileName(root: string): string {
  named += 1;
  const hash = createHash("sha256").update(`${root}\0${named}`).digest("hex").slice(0, 12);
  return `definitions-${hash}-${process.pid}.mjs`;
}

/** Loads every module of the bundle. */
export async function evaluateModules(bundle: LoadableBundle): Promise<Map<string, ModuleOutcome>> {
  const { attempts, stray } = await loadModules(bundle);
  const failed = stray.length > 0 || attempts.some(([, { type }]) => type === "threw");
  const sourceMap = failed ? await bundle.makeSourceMap() : undefined;
  const failureOf = (error: unknown): Threw => failure(error, { sourceMap, paths: bundle.paths });
  const outcomes = new Map(
    attempts.map(([file, attempt]): [string, ModuleOutcome] => [
      file,
      attempt.type === "loaded" ? attempt : failureOf(attempt.error),
    ]),
  );
  for (const reason of stray) {
    const outcome = failureOf(reason);
    if (outcome.at) outcomes.set(outcome.at.file, outcome);
  }
  return outcomes;
}

/** The attempt for each file, and the reasons of rejections that nothing handled meanwhile. */
async function loadModules({ code, paths }: LoadableBundle) {
  const { outputFile } = paths;
  mkdirSync(dirname(outputFile), { recursive: true });
  writeFileSync(outputFile, code);
  const restoreProcess = guardProcess();
  const stray: unknown[] = [];
  const noteStray = (reason: unknown): void => void stray.push(reason);
  process.on("unhandledRejection", noteStray);
  try {
    // `bundleModules` writes a bundle with this export only.
    const entry = (await import(/* @vite-ignore */ pathToFileURL(outputFile).href)) as { load: Record<string, Loader> };
    const attempts: [file: string, attempt: Attempt][] = [];
    for (const [file, loader] of Object.entries(entry.load)) attempts.push([file, await loadModule(loader)]);
    await new Promise((done) => setImmediate(done));
    return { attempts, stray };
  } finally {
    process.off("unhandledRejection", noteStray);
    restoreProcess();
    rmSync(outputFile, { force: true });
  }
}

type Attempt = Extract<ModuleOutcome, { type: "loaded" }> | { type: "threw"; error: unknown };

async function loadModule(loader: Loader): Promise<Attempt> {
  const load = async (): Promise<Attempt> => {
    const exports = await loader();
    return { type: "loaded", exports: isObject(exports) ? exports : {} };
  };
  const onTimeout = (): Attempt => {
    return { type: "threw", error: new Error(`still not loaded after ${loadTimeoutMs / 1000} s`) };
  };
  try {
    return await waitWithin(load, { timers: platformTimers, milliseconds: loadTimeoutMs, onTimeout });
  } catch (error) {
    return { type: "threw", error };
  }
}

type Threw = Extract<ModuleOutcome, { type: "threw" }>;

/** The data that maps a position in the bundle to a source. Without a source map there is no position. */
interface PositionLookup {
  sourceMap: string | undefined;
  paths: BundlePaths;
}

function failure(error: unknown, sources: PositionLookup): Threw {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : `threw ${String(error)}`;
  const at = error instanceof Error ? positionOf(error, sources) : undefined;
  return { type: "threw", message, ...(at ? { at } : {}) };
}

/** The first frame of the stack in the project's own sources. */
function positionOf(error: Error, { sourceMap, paths }: PositionLookup): Threw["at"] {
  if (sourceMap === undefined) return undefined;
  const frames = (error.stack ?? "").matchAll(/definitions-[0-9a-f]+-\d+\.mjs[^\s:]*:(\d+):(\d+)/g);
  const map = new SourceMap(JSON.parse(sourceMap) as SourceMapPayload);
  for (const [, line, column] of frames) {
    const entry = map.findEntry(Number(line) - 1, Number(column) - 1);
    if (!("originalSource" in entry) || !entry.originalSource) continue;
    const file = mappedSource(entry.originalSource, paths);
    if (file.startsWith("..") || file.includes("node_modules/")) continue;
    return { file, line: entry.originalLine + 1, column: entry.originalColumn + 1 };
  }
  return undefined;
}

/** Redirects the modules' output to stderr, and prevents a module from ending the process with exit code 0. */
function guardProcess(): () => void {
  const { log, info, debug } = console;
  const exit = Object.getOwnPropertyDescriptor(process, "exit");
  const toStderr = console.error.bind(console);
  Object.assign(console, { log: toStderr, info: toStderr, debug: toStderr });
  process.exit = () => {
    throw new Error("process.exit was called");
  };
  return () => {
    Object.assign(console, { log, info, debug });
    if (exit) Object.defineProperty(process, "exit", exit);
  };
}
