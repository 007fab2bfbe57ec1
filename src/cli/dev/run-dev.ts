// Serves a project: compiles agents/, applies the migrations of the local catalog and runs wrangler's local server until a signal ends it.

import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { buildProject } from "../build-commands.ts";
import { endingSignals, type CliContext, type ExitCode } from "../context.ts";
import { error, formatFinding, isError, type Finding } from "../doctor/finding.ts";
import { buildCheck, configFindings, watchFindings } from "../doctor/wrangler-checks.ts";
import {
  defaultPort,
  findConfiguredProject,
  hasOwnMain,
  localState,
  readConfiguration,
  withConfiguration,
  type WranglerProject,
} from "../doctor/wrangler-package.ts";
import { applyCatalogMigrations } from "./catalog-migrations.ts";
import { commandLine } from "./command-line.ts";
import type { DevOptions } from "./dev-command.ts";
import { findPlayground, likelyPaths, needsOwnPath } from "./find-playground.ts";
import { isPortFree, nextFreePort } from "./free-port.ts";
import { formatGreeting } from "./greeting.ts";
import { HangWatch } from "./hang-watch.ts";
import { localVariables, opensLoopback } from "./local-access.ts";
import { passLines } from "./pass-lines.ts";
import { plainLine } from "./plain-line.ts";
import { startGroup, type ProcessGroup } from "./process-group.ts";
import { remoteLine } from "./remote-bindings.ts";
import type { ConfigurationMessage, ServedProject, ServerSettings } from "./server-commands.ts";
import { withSourcePositions } from "./source-stack.ts";
import { lockState } from "./state-lock.ts";
import { isHealthCheck, waitUntilHealthy } from "./wait-until-healthy.ts";

/** The environment of wrangler: no banner, no network request for a `cf` object, and no explorer. */
const wranglerEnvironment = {
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_HIDE_BANNER: "true",
  // Wrangler's explorer, under /cdn-cgi, answers before the Worker: it runs any SQL on all data and requires no credentials.
  X_LOCAL_EXPLORER: "false",
};

/** Runs the command `dev`. With `--json` standard output has only the lines of the Worker's log. */
export async function runDev(options: DevOptions, given: CliContext): Promise<ExitCode> {
  const context = options.json ? { ...given, print: given.printError } : given;
  const found = findConfiguredProject(options.root, options.config);
  if (!("wrangler" in found)) {
    servable(found, options, context);
    return 1;
  }
  const start: StartProcess = (command, channel) =>
    startProcess(command, { options, context, printLog: given.print, channel });
  const { environment } = options;
  const served: ServedProject = { root: found.root, file: found.file, environment };
  const waiting = needsCommandLine(options) ? undefined : start(["dev-server", JSON.stringify(served)], true);
  const end = (): void => waiting?.group.signal("SIGKILL");
  process.on("exit", end);
  try {
    const read = waiting === undefined ? readConfiguration(found, environment) : await receiveConfiguration(waiting);
    const project = servable("config" in read ? withConfiguration(found, read.config) : read, options, context);
    return project === null ? 1 : await serveLocked({ project, options, context, waiting, start });
  } finally {
    // After an error the process still waits for its settings.
    end();
    process.off("exit", end);
    await waiting?.group.ended;
  }
}

/** Whether wrangler's command line serves, which has options that its local server does not have. */
const needsCommandLine = ({ rest, inspect }: DevOptions): boolean => rest.length > 0 || inspect;

/** The first process of the server's process group. Its output is printed. */
interface ServerProcess {
  group: ProcessGroup;
  /** Reports that the server's address is printed. */
  greeted: () => void;
  /** Passes each line of the Worker's log to a function first. A line for which it returns true is not printed. */
  readLines: (read: (line: string) => boolean) => void;
}

/** Starts a hidden command of this program as the first process of a group. */
type StartProcess = (command: readonly string[], channel: boolean) => ServerProcess;

interface ProcessOptions {
  options: DevOptions;
  context: CliContext;
  /** Prints a line of the Worker's log. */
  printLog: (line: string) => void;
  /** Whether the process receives messages. */
  channel: boolean;
}

function startProcess(
  command: readonly string[],
  { options, context, printLog, channel }: ProcessOptions,
): ServerProcess {
  const { self, env, print, printError, colours } = context;
  const [program, ...args] = self;
  const group = startGroup([program, ...args, ...command], {
    cwd: options.root,
    env: { ...env, ...wranglerEnvironment },
    channel,
  });
  let isGreeted = false;
  let isRead = (_line: string): boolean => false;
  const readable = (line: string): string => {
    const placed = withSourcePositions(line, options.root);
    return options.json ? placed : plainLine(placed, colours);
  };
  const starting = (): boolean => !isGreeted;
  const printLine = (line: string): void => {
    if (!isRead(line)) (options.json && !line.startsWith("{") ? print : printLog)(readable(line));
  };
  passLines(group.stdout, printLine, { starting });
  passLines(group.stderr, (line) => printError(readable(line)), { starting });
  return { group, greeted: () => void (isGreeted = true), readLines: (read) => void (isRead = read) };
}

/** The configuration that the server's process read. */
async function receiveConfiguration({ group }: ServerProcess): Promise<ConfigurationMessage> {
  const message = await group.firstMessage;
  if (message !== undefined) return message as ConfigurationMessage;
  const detail = `The process of the server ended with code ${String(await group.ended)} before it read the configuration.`;
  return error("wrangler", detail, "correct what its output names, and run the command again");
}

/** The project if it can be served. Prints each error. */
function servable(
  project: WranglerProject | Finding,
  { root }: DevOptions,
  { printError }: CliContext,
): WranglerProject | null {
  const findings = "wrangler" in project ? configFindings(project) : [project];
  if (!existsSync(join(root, "agents"))) {
    findings.push(error("agents/", "The folder does not exist.", "npx threadhold new agent assistant"));
  }
  const errors = findings.filter(isError);
  for (const finding of errors) printError(formatFinding(finding));
  return "wrangler" in project && errors.every(({ name }) => name === buildCheck) ? project : null;
}

interface Serving {
  project: WranglerProject;
  options: DevOptions;
  context: CliContext;
  /** The process that waits for the settings of the server. Absent if wrangler's command line serves. */
  waiting: ServerProcess | undefined;
  start: StartProcess;
}

/** Locks the state folder and serves the project. Prints an error and returns 1 if another server uses the folder. */
async function serveLocked(serving: Serving): Promise<ExitCode> {
  const { project, options, context } = serving;
  const stateFolder = options.stateFolder ?? localState(project);
  const lock = lockState(stateFolder);
  if ("heldBy" in lock) {
    context.printError(
      `Another server (pid ${String(lock.heldBy)}) uses ${stateFolder}.\n` +
        "Stop it, or give this one a folder of its own: --state <folder>",
    );
    return 1;
  }
  process.on("exit", lock.release);
  // Until the server runs, no other process has to end before this one. The exit releases the lock.
  const ending = Object.entries(endingSignals).map(([signal, code]) => [signal, () => process.exit(code)] as const);
  for (const [signal, end] of ending) process.on(signal, end);
  const ready = (): void => {
    for (const [signal, end] of ending) process.off(signal, end);
  };
  try {
    const port = await choosePort(options, project, context);
    if (port === null || !(await prepare(project, stateFolder, context))) return 1;
    ready();
    return await serve({ ...serving, stateFolder, port });
  } finally {
    ready();
    process.off("exit", lock.release);
    lock.release();
  }
}

/** A free port. Null after the message that the given port is taken. */
async function choosePort(
  { port: given }: DevOptions,
  project: WranglerProject,
  { print, printError }: CliContext,
): Promise<number | null> {
  if (given !== undefined) {
    if (await isPortFree(given)) return given;
    printError(`Port ${String(given)} is taken. Stop the program that listens on it, or give another --port.`);
    return null;
  }
  const first = defaultPort(project);
  const port = await nextFreePort(first);
  if (port !== first) print(`Port ${String(first)} is taken, so the server listens on port ${String(port)}.`);
  return port;
}

/** Compiles the definitions and applies the migrations. Prints what fails, and sources whose changes would not be served. */
async function prepare(project: WranglerProject, stateFolder: string, context: CliContext): Promise<boolean> {
  const directory = project.config.assets?.directory;
  const assets = directory === undefined ? undefined : resolve(dirname(project.file), directory);
  const compiled = await buildProject({ root: project.root, assets }, context);
  // If an earlier build succeeded, the server can start with its output. The compiler has printed the errors and compiles again after a
  // change.
  if (compiled !== 0 && !existsSync(join(project.root, ".threadhold/registry.ts"))) {
    context.printError("The definitions in agents/ could not be compiled.");
    return false;
  }
  const [migrated, watched] = await Promise.all([
    applyCatalogMigrations(project, stateFolder, { ...context.env, ...wranglerEnvironment }),
    watchFindings(project),
  ]);
  for (const finding of watched) if (finding.status !== "ok") context.printError(formatFinding(finding));
  if (migrated.code !== 0) context.printError(`${migrated.output}\nThe catalog's migrations could not be applied.`);
  return migrated.code === 0;
}

interface Server extends Serving {
  stateFolder: string;
  port: number;
}

/** Runs the server until it ends, and prints its address when it answers. */
async function serve(server: Server): Promise<ExitCode> {
  const { project, context, stateFolder } = server;
  const { group, greeted, readLines } = startServer(server);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => group.signal(signal));
  const stopped = new AbortController();
  const url = `http://${hostOf(addressOf(server))}:${String(server.port)}`;
  let isMounted = false;
  const isReady = (response: Response, body: string): boolean => {
    if (isHealthCheck(response, body)) return true;
    // A Worker that mounts the API under a path may have no such address. Any response below status 500 proves that it is running.
    isMounted = hasOwnMain(project) && response.status < 500;
    return isMounted;
  };
  void waitUntilHealthy(`${url}/healthz`, stopped.signal, isReady).then(async (ready) => {
    if (!ready) return;
    const variable = playgroundVariable(server);
    const found = await findPlayground(url, likelyPaths(project, variable), stopped.signal);
    const isExpected =
      project.config.assets !== undefined && needsOwnPath(project, context.packageRoot) && String(variable) !== "false";
    context.print(formatGreeting({ url, project, stateFolder, isMounted, found, isExpected }));
    greeted();
  });
  const watch = new HangWatch({
    request: async (signal) => (await fetch(`${url}/healthz`, { signal })).text(),
    print: context.printError,
  });
  readLines((line) => watch.read(line));
  const watched = watch.run(stopped.signal);
  const code = await group.ended;
  stopped.abort();
  await watched;
  return code === 0 ? 0 : 1;
}

function startServer(server: Server): ServerProcess {
  const { project, options, stateFolder, port, context, waiting, start } = server;
  const { wrangler, environment } = project;
  const ip = addressOf(server);
  const variables: [name: string, value: string][] = [["LOG_TOOL_CALLS", "true"], ...options.variables];
  if (needsOwnPath(project, context.packageRoot) && playgroundVariable(server) === undefined) {
    variables.push(["PLAYGROUND", "true"]);
  }
  if (opensLoopback(project, { ip, variables })) {
    variables.push(["OPEN_LOOPBACK", "true"]);
    context.print("There is no .dev.vars, so requests of this machine need no credentials (OPEN_LOOPBACK=true).");
  }
  const remote = remoteLine(project.config, options.rest);
  if (remote !== null) context.print(remote);
  const settings: ServerSettings = { environment, ip, port, stateFolder, variables };
  if (waiting !== undefined) {
    waiting.group.send(settings);
    return waiting;
  }
  const args = commandLine(settings, project, options);
  return start(["supervise", "--", process.execPath, wrangler.program, ...args], false);
}

/** The variable PLAYGROUND as the project or the command line sets it. */
function playgroundVariable({ project, options }: Server): unknown {
  const given = options.variables.findLast(([name]) => name === "PLAYGROUND");
  return given?.[1] ?? localVariables(project)["PLAYGROUND"];
}

/** The address that a server listens on. */
const addressOf = ({ options, project }: Server): string => options.ip ?? project.config.dev.ip ?? "localhost";

/** The host in the address of a server. A server that listens on all addresses is shown as `localhost`. */
function hostOf(ip: string): string {
  if (["0.0.0.0", "::", "*"].includes(ip)) return "localhost";
  return ip.includes(":") ? `[${ip}]` : ip;
}
