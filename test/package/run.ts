// Runs programs in folders outside of the repository. Programs of the repository's own packages are not found there.

import { spawn } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { nextFreePort } from "#cli/dev/free-port.ts";
import { waitUntilHealthy } from "#cli/dev/wait-until-healthy.ts";
import { anySignal } from "#lib/any-signal.ts";

/** The folder of the repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

export interface ProgramResult {
  code: number | null;
  /** Standard output and standard error, in the order of arrival. */
  output: string;
}

export type ProgramCommand = readonly [program: string, ...args: string[]];

interface Surroundings {
  cwd: string;
  env?: NodeJS.ProcessEnv;
}

/** Where programs are found, without the repository's own ones. */
export const programPath = (process.env["PATH"] ?? "")
  .split(path.delimiter)
  .filter((folder) => !folder.startsWith(root))
  .join(path.delimiter);

/**
 * The variables that a program needs, without those of this process that lead to the repository. Programs of the folder's packages are
 * found, as in a script of npm, so that `npx` need not search for them.
 */
function environment({ cwd, env: more = {} }: Surroundings): NodeJS.ProcessEnv {
  const { HOME, TMPDIR } = process.env;
  const names = [
    "npm_config_registry",
    "npm_config_cache",
    "npm_config_userconfig",
    "NODE_EXTRA_CA_CERTS",
    "NODE_OPTIONS",
    "GOGC",
  ];
  const passed = Object.entries(process.env).filter(([name]) => names.includes(name));
  return {
    PATH: `${path.join(cwd, "node_modules/.bin")}${path.delimiter}${programPath}`,
    HOME,
    TMPDIR,
    CI: "true",
    WRANGLER_SEND_METRICS: "false",
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    ...Object.fromEntries(passed),
    ...more,
  };
}

/** Runs a program to its end. */
export function run([program, ...args]: ProgramCommand, surroundings: Surroundings): Promise<ProgramResult> {
  const { cwd } = surroundings;
  const child = spawn(program, args, { cwd, env: environment(surroundings), stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });
}

export interface RunningServer {
  url: string;
  /** Ends the server and all processes that it started. */
  close: () => Promise<void>;
}

/**
 * The command of wrangler's local server, for `serve`. The system chooses the port of the inspector: two servers that start at the same time
 * could find the same free port, and one of them would then fail.
 */
export const wranglerDev = [
  "wrangler",
  "dev",
  "--inspector-port",
  "0",
  "--show-interactive-dev-session=false",
  "--port",
] as const;

/** Starts a server by a command that ends with `--port`, and waits until it answers. */
export async function serve(command: ProgramCommand, surroundings: Surroundings): Promise<RunningServer> {
  // Below the ports of the servers of test/e2e and test/soak, which may start at the same time.
  const port = await nextFreePort(7_000 + 100 * Number(process.env["VITEST_POOL_ID"] ?? 0));
  const [program, ...args] = command;
  const child = spawn(program, [...args, String(port)], {
    cwd: surroundings.cwd,
    detached: true,
    env: environment(surroundings),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  const failed = new AbortController();
  child.once("exit", () => failed.abort());
  // A process that the server started may keep the output open after the server ended.
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const close = async (): Promise<void> => {
    signalGroup(child.pid, "SIGTERM");
    const kill = setTimeout(() => signalGroup(child.pid, "SIGKILL"), 30_000);
    await ended;
    clearTimeout(kill);
  };
  const url = `http://localhost:${String(port)}`;
  const signal = anySignal([failed.signal, AbortSignal.timeout(120_000)]);
  if (await waitUntilHealthy(`${url}/healthz`, signal)) return { url, close };
  await close();
  throw new Error(`${command.join(" ")} does not serve ${url}:\n${output}`);
}

/** Sends a signal to all processes of a group. They may have ended already. */
function signalGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
