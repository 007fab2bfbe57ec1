// Serves a project: compiles agents/, applies the migrations of the local catalog and runs wrangler's local server until a signal ends it.

import { existsSync } from "node:fs";
import { join } from "node:path";

import { buildProject } from "../build-commands.ts";
import { endingSignals, type CliContext, type ExitCode } from "../context.ts";
import { error, formatFinding, isError } from "../doctor/finding.ts";
import { buildCheck, configFindings } from "../doctor/wrangler-checks.ts";
import {
  defaultPort,
  hasOwnMain,
  localState,
  readWranglerProject,
  type WranglerProject,
} from "../doctor/wrangler-package.ts";
import { applyCatalogMigrations } from "./catalog-migrations.ts";
import type { DevOptions } from "./dev-command.ts";
import { isPortFree, nextFreePort } from "./free-port.ts";
import { formatGreeting } from "./greeting.ts";
import { opensLoopback } from "./local-access.ts";
import { passLines } from "./pass-lines.ts";
import { plainLine } from "./plain-line.ts";
import { startGroup, type ProcessGroup } from "./process-group.ts";
import type { ServerSettings } from "./server-commands.ts";
import { withSourcePositions } from "./source-stack.ts";
import { lockState } from "./state-lock.ts";
import { isHealthCheck, waitUntilHealthy } from "./wait-until-healthy.ts";

/** The environment of wrangler: no banner, no network request for a `cf` object, and no explorer. */
const wranglerEnvironment = {
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_HIDE_BANNER: "true",
  // Wrangler's explorer, under /cdn-cgi, answers before the Worker: it takes any SQL for all data and asks for no credentials.
  X_LOCAL_EXPLORER: "false",
};

/** Runs the command `dev`. With `--json` standard output has the lines of the Worker's log alone. */
export async function runDev(options: DevOptions, given: CliContext): Promise<ExitCode> {
  const context = options.json ? { ...given, print: given.printError } : given;
  const project = findProject(options, context);
  if (project === null) return 1;
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
    return await serve({ project, options, stateFolder, port, context, printLog: given.print });
  } finally {
    ready();
    process.off("exit", lock.release);
    lock.release();
  }
}

/** The project. Null if an error keeps it from being served. Prints each error. */
function findProject(
  { root, config: file, environment }: DevOptions,
  { printError }: CliContext,
): WranglerProject | null {
  const project = readWranglerProject(root, { file, environment });
  const findings = "wrangler" in project ? configFindings(project) : [project];
  if (!existsSync(join(root, "agents"))) {
    findings.push(error("agents/", "The folder does not exist.", "npx threadhold new agent assistant"));
  }
  const errors = findings.filter(isError);
  for (const finding of errors) printError(formatFinding(finding));
  return "wrangler" in project && errors.every(({ name }) => name === buildCheck) ? project : null;
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
  if (port !== first) print(`Port ${String(first)} is taken, so this is on ${String(port)}.`);
  return port;
}

/** Compiles the definitions and applies the migrations. Prints what fails. */
async function prepare(project: WranglerProject, stateFolder: string, context: CliContext): Promise<boolean> {
  const compiled = await buildProject({ root: project.root }, context);
  // If an earlier build succeeded, the server can start with its output. The compiler has printed the errors and compiles again after a
  // change.
  if (compiled !== 0 && !existsSync(join(project.root, ".threadhold/registry.ts"))) {
    context.printError("The definitions in agents/ could not be compiled.");
    return false;
  }
  const migrated = await applyCatalogMigrations(project, stateFolder, { ...context.env, ...wranglerEnvironment });
  if (migrated.code !== 0) context.printError(`${migrated.output}\nThe catalog's migrations could not be applied.`);
  return migrated.code === 0;
}

interface Server {
  project: WranglerProject;
  options: DevOptions;
  stateFolder: string;
  port: number;
  context: CliContext;
  /** Prints a line of the Worker's log. */
  printLog: (line: string) => void;
}

/** Runs the server until it ends, and prints its address when it answers. */
async function serve(server: Server): Promise<ExitCode> {
  const { project, options, context, printLog } = server;
  const group = startServer(server);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => group.signal(signal));
  let greeted = false;
  const readable = (line: string): string => {
    const placed = withSourcePositions(line, project.root);
    return options.json ? placed : plainLine(placed, context.colours);
  };
  const starting = (): boolean => !greeted;
  const print = (line: string): void =>
    (options.json && !line.startsWith("{") ? context.print : printLog)(readable(line));
  passLines(group.stdout, print, { starting });
  passLines(group.stderr, (line) => context.printError(readable(line)), { starting });
  const stopped = new AbortController();
  const url = `http://${hostOf(addressOf(server))}:${String(server.port)}`;
  let isMounted = false;
  const isReady = (response: Response, body: string): boolean => {
    if (isHealthCheck(response, body)) return true;
    // A Worker that mounts the API under a path may have no such address. Any response proves that it is running.
    isMounted = hasOwnMain(project) && response.status < 500;
    return isMounted;
  };
  void waitUntilHealthy(`${url}/healthz`, stopped.signal, isReady).then((ready) => {
    if (!ready) return;
    context.print(formatGreeting({ url, project, stateFolder: server.stateFolder, isMounted }));
    greeted = true;
  });
  const code = await group.ended;
  stopped.abort();
  return code === 0 ? 0 : 1;
}

function startServer(server: Server): ProcessGroup {
  const { project, options, stateFolder, port, context } = server;
  const { root, wrangler, file, environment } = project;
  const ip = addressOf(server);
  const variables = [...options.variables];
  if (opensLoopback(project, { ip, variables })) {
    variables.push(["OPEN_LOOPBACK", "true"]);
    context.print("There is no .dev.vars, so requests of this machine need no credentials (OPEN_LOOPBACK=true).");
  }
  const [program, ...args] = context.self;
  const settings: ServerSettings = { root, config: file, environment, ip, port, stateFolder, variables };
  const wranglerDev = [
    ["supervise", "--", process.execPath, wrangler.program, "dev", "--config", file],
    ["--port", String(port), "--ip", ip, "--persist-to", stateFolder, "--show-interactive-dev-session=false"],
    environment === undefined ? [] : ["--env", environment],
    variables.flatMap(([name, value]) => ["--var", `${name}:${value}`]),
    options.rest,
  ].flat();
  const command =
    options.rest.length === 0 && !options.inspect ? ["dev-server", JSON.stringify(settings)] : wranglerDev;
  return startGroup([program, ...args, ...command], { cwd: root, env: { ...context.env, ...wranglerEnvironment } });
}

/** The address that a server listens on. */
const addressOf = ({ options, project }: Server): string => options.ip ?? project.config.dev.ip ?? "localhost";

/** The host in the address of a server. A server that listens on all addresses is shown as `localhost`. */
function hostOf(ip: string): string {
  if (["0.0.0.0", "::", "*"].includes(ip)) return "localhost";
  return ip.includes(":") ? `[${ip}]` : ip;
}
