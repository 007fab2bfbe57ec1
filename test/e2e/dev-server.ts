// Starts the dev command as a developer would: as a process of its own, with its own state folder and port.

import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { isPortFree, nextFreePort } from "#cli/dev/free-port.ts";

import { timeoutMs, within } from "../support/http-client/deadline.ts";
import { bundleOptions, storeBundle } from "./support/served-bundle.ts";

const thisProject = fileURLToPath(new URL("../../", import.meta.url));

export interface DevServer {
  url: string;
  process: ChildProcess;
  /** The output so far, of both streams. */
  output: () => string;
  /** The standard output so far. */
  printed: () => string;
  /** Settles when the command has ended; the code is null if a signal ended it. */
  ended: Promise<number | null>;
  /** Sends a signal to the dev command alone and waits for its end. */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

// Ports are tried upwards from a different start in each test process, so parallel runs on one machine rarely collide.
// Each start has a range of its own, so two starts at once do not find the same port free.
const portsPerStart = 20;
// Below the ports that the system gives to outgoing connections, one of which could be taken between the check and its
// use. The ranges of consecutive process ids are far apart.
let firstPort = 10_000 + ((process.pid * 7919) % 20_000);

// Servers that are stopped if the test process ends before them. A process that is killed by a signal stops none.
const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/**
 * The folder of a project, or the folder with options: the number of files that each process of its server may open,
 * whether types are checked in the background (not by default), and the command that serves, which is `npm run dev` of
 * the project by default. If `storedBundle` is true, the server serves the bundle of an earlier server of the same
 * sources, if there is one, and ignores later changes of the sources.
 */
export type ServedProject =
  | string
  | { root: string; openFiles?: number; checkTypes?: boolean; command?: string[]; storedBundle?: boolean };

/** Returns a free port. Each call looks in a range of its own. */
export function freePort(): Promise<number> {
  const from = firstPort;
  firstPort += portsPerStart;
  return nextFreePort(from, portsPerStart);
}

/** Runs the dev command of a project without waiting for anything. */
export function runDevCommand(args: string[], project: ServedProject = thisProject): Omit<DevServer, "url"> {
  const served: Exclude<ServedProject, string> = typeof project === "string" ? { root: project } : project;
  const { root: cwd, openFiles, checkTypes = false } = served;
  const command = [process.execPath, ...(served.command ?? [path.join(cwd, "scripts/dev.mjs")]), ...args];
  const limit = openFiles === undefined ? [] : ["bash", "-c", `ulimit -n ${openFiles}; exec "$@"`, "bash"];
  const [program = "", ...rest] = [...limit, ...command];
  const child = spawn(program, rest, {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...(checkTypes ? {} : { TYPE_CHECK: "off" }) },
  });
  running.add(child);
  child.on("close", () => running.delete(child));
  let text = "";
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    printed += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const ended = new Promise<number | null>((resolve) => child.on("close", (code) => resolve(code)));
  return {
    process: child,
    output: () => text,
    printed: () => printed,
    ended,
    stop: (signal = "SIGTERM") => {
      child.kill(signal);
      return within(timeoutMs, () => `the end of the dev command after ${signal}:\n${text}`, ended);
    },
  };
}

/**
 * Resolves once the server reports that it is ready; rejects with its output if it ends before. A `--port` among `args`
 * is used unchanged.
 */
export async function startDevServer(
  stateFolder: string,
  args: string[] = [],
  project: ServedProject = thisProject,
): Promise<DevServer> {
  const given = args.indexOf("--port");
  const port = given === -1 ? await freePort() : Number(args[given + 1]);
  const { root, storedBundle = false } = typeof project === "string" ? { root: project } : project;
  const bundle = storedBundle ? bundleOptions(root) : [];
  const server = runDevCommand(["--persist-to", stateFolder, "--port", String(port), ...bundle, ...args], project);
  const url = `http://localhost:${port}`;
  const ready = new Promise<void>((resolve, reject) => {
    const check = (): void => {
      if (server.output().includes(`ready on ${url}`)) resolve();
    };
    server.process.stdout?.on("data", check);
    server.process.stderr?.on("data", check);
    void server.ended.then((code) => reject(new Error(`The dev command ended with ${code}:\n${server.output()}`)));
  });
  try {
    await within(timeoutMs, () => `the dev server's ready line:\n${server.output()}`, ready);
  } catch (error) {
    server.process.kill("SIGKILL");
    throw error;
  }
  if (storedBundle && bundle.length === 0) storeBundle(root);
  return { ...server, url };
}

/** Ends the server and everything it started at once, like a power cut, and waits until the port is free. */
export async function cutPower(server: DevServer): Promise<void> {
  await server.stop("SIGKILL");
  await untilPortIsFree(server.url);
}

/** Waits until nothing listens on the port of a server that was killed. */
export async function untilPortIsFree(url: string): Promise<void> {
  const port = Number(new URL(url).port);
  const deadline = performance.now() + timeoutMs;
  while (!(await isPortFree(port))) {
    if (performance.now() > deadline) throw new Error(`Port ${port} is still held after SIGKILL`);
  }
}
