// The wrangler that a project has installed, with its runtime, and the project's configuration. Wrangler reads its own configuration, in
// all three formats.

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

import { wranglerFileNames } from "#compiler/wrangler-text.ts";

import { endingSignals, type EndingSignal } from "../context.ts";
import { error, type Finding } from "./finding.ts";

/** The part of a wrangler configuration that a Worker with threads needs. */
export interface WranglerConfig {
  /** The name of the Worker, with that of the environment. */
  name?: string;
  /** The main module, absolute. */
  main?: string;
  account_id?: string;
  compliance_region?: string;
  compatibility_date?: string;
  compatibility_flags: readonly string[];
  durable_objects: { bindings: readonly { name: string; class_name?: string; script_name?: string }[] };
  migrations: readonly {
    tag: string;
    new_sqlite_classes?: readonly string[];
    new_classes?: readonly string[];
    renamed_classes?: readonly { from: string; to: string }[];
    deleted_classes?: readonly string[];
  }[];
  ai?: { binding?: string };
  d1_databases: readonly {
    binding: string;
    database_name?: string;
    database_id?: string;
    migrations_dir?: string;
    migrations_table?: string;
  }[];
  build: { command?: string };
  assets?: {
    directory?: string;
    binding?: string;
    not_found_handling?: string;
    run_worker_first?: boolean | readonly string[];
  };
  vars: Readonly<Record<string, unknown>>;
  dev: { ip?: string; port?: number; inspector_port?: number };
  /** The environment that was read; empty or absent for the root of the file. */
  targetEnvironment?: string;
  /** The names of the environments in the file. */
  definedEnvironments?: readonly string[];
}

/** A local server of wrangler. */
interface LocalServer {
  dispose: () => Promise<void>;
}

/** An installed wrangler. */
export interface WranglerPackage {
  version: string;
  /** The file of its command line. */
  program: string;
  /** The newest compatibility date that its runtime accepts. */
  newestDate: string;
  /** Loads wrangler with its listeners for signals, which end this process. */
  load: () => void;
  /** Reads a configuration file. Throws wrangler's own error, whose message names the place. */
  readConfig: (file: string, environment?: string) => WranglerConfig;
  /** Starts a local server in this process, with the options of wrangler's `unstable_startWorker`. */
  startWorker: (options: object) => Promise<LocalServer>;
}

/** A project whose wrangler is installed and whose configuration can be read. */
export interface WranglerProject {
  root: string;
  wrangler: WranglerPackage;
  /** The configuration file, absolute. */
  file: string;
  /** The named environment of the configuration. */
  environment: string | undefined;
  config: WranglerConfig;
}

/** The configuration to read: `file` is absolute. Without an environment CLOUDFLARE_ENV counts; an empty one is the root of the file. */
interface ConfigChoice {
  file?: string | undefined;
  environment?: string | undefined;
}

/** The port of the local server if the command line names none. */
export const defaultPort = ({ config }: WranglerProject): number => config.dev.port ?? 8787;

/** Whether the main module is not the one that the compiler writes, so that the API may be under a path. */
export function hasOwnMain({ config: { main } }: WranglerProject): boolean {
  return main !== undefined && !/[\\/]\.threadhold[\\/]worker\.ts$/.test(main);
}

/** The folder in which wrangler stores the local state of a project. */
export const localState = ({ file }: WranglerProject): string => join(dirname(file), ".wrangler/state");

/** The path of a project's wrangler configuration; undefined if there is none. */
function wranglerConfigFile(root: string): string | undefined {
  return wranglerFileNames.map((name) => join(root, name)).find((file) => existsSync(file));
}

/** A project whose wrangler is installed. Its configuration is not read yet. */
type ConfiguredProject = Pick<WranglerProject, "root" | "wrangler" | "file">;

/** Finds a project's wrangler and its configuration file. Returns a finding if one of them is missing. */
export function findConfiguredProject(root: string, given?: string): ConfiguredProject | Finding {
  const wrangler = findWrangler(root);
  if (!("program" in wrangler)) return wrangler;
  const file = given ?? wranglerConfigFile(root);
  if (file !== undefined) return { root, wrangler, file };
  const fix = "run the command in the folder of your Worker; npm create threadhold@latest starts a new project";
  return error("wrangler configuration", "There is no wrangler.toml or wrangler.jsonc.", fix);
}

/** Reads a configuration file. Returns a finding if the file is invalid. Loads wrangler, which takes a second. */
export function readConfiguration(
  { wrangler, file }: Pick<ConfiguredProject, "wrangler" | "file">,
  environment?: string,
): { config: WranglerConfig } | Finding {
  try {
    return { config: wrangler.readConfig(file, environment) };
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return error(basename(file), message, "correct the place that the message names");
  }
}

/** A project with its configuration. */
export function withConfiguration(project: ConfiguredProject, config: WranglerConfig): WranglerProject {
  const { targetEnvironment: read } = config;
  return { ...project, environment: read === "" ? undefined : read, config };
}

/** Reads a project's configuration with its own wrangler. Returns a finding if something is missing or invalid. */
export function readWranglerProject(root: string, { file, environment }: ConfigChoice = {}): WranglerProject | Finding {
  const found = findConfiguredProject(root, file);
  if (!("wrangler" in found)) return found;
  const read = readConfiguration(found, environment);
  return "config" in read ? withConfiguration(found, read.config) : read;
}

/** Loads wrangler without its listeners for signals, which end this process with the exit code 0 before its own listeners run. */
function withoutSignalListeners<Module>(load: () => Module): Module {
  const signals = Object.keys(endingSignals) as EndingSignal[];
  const before = signals.map((signal) => new Set(process.listeners(signal)));
  const loaded = load();
  for (const [at, signal] of signals.entries()) {
    for (const listener of process.listeners(signal))
      if (before[at]?.has(listener) !== true) process.off(signal, listener);
  }
  return loaded;
}

/** The commands that install wrangler. */
export const installWrangler = "npm install --save-dev wrangler@4, or pnpm add --save-dev wrangler@4";

/** The wrangler of a project; a finding if wrangler or its runtime is missing. */
export function findWrangler(root: string): WranglerPackage | Finding {
  const fromProject = createRequire(join(root, "package.json"));
  let manifest: string;
  try {
    manifest = fromProject.resolve("wrangler/package.json");
  } catch {
    return error("wrangler", "It is not installed in this project.", installWrangler);
  }
  try {
    const { version, bin } = JSON.parse(readFileSync(manifest, "utf8")) as {
      version: string;
      bin: { wrangler: string };
    };
    const { compatibilityDate } = createRequire(manifest)("workerd") as { compatibilityDate: string };
    const load = () =>
      fromProject("wrangler") as {
        unstable_readConfig: (
          args: { config: string; env?: string },
          options: { hideWarnings: boolean },
        ) => WranglerConfig;
        unstable_startWorker: (options: object) => Promise<LocalServer>;
      };
    return {
      version,
      program: join(dirname(manifest), bin.wrangler),
      newestDate: compatibilityDate,
      load: () => void load(),
      readConfig: (file, env) =>
        withoutSignalListeners(load).unstable_readConfig(
          { config: file, ...(env === undefined ? {} : { env }) },
          { hideWarnings: true },
        ),
      startWorker: (options) => load().unstable_startWorker(options),
    };
  } catch (thrown) {
    const [reason = ""] = (thrown instanceof Error ? thrown.message : String(thrown)).split("\n");
    return error(
      "workerd",
      `wrangler is installed, and its runtime cannot be loaded: ${reason}`,
      "delete node_modules and install again on this platform, with optional dependencies: npm install --include=optional, or pnpm install",
    );
  }
}
