// Hidden commands that run inside the process group of a server: wrangler's local server, and any other program.

import type { Command } from "commander";

import { CommandError, type ExitCode } from "../context.ts";
import type { Finding } from "../doctor/finding.ts";
import { findWrangler, readConfiguration, type WranglerConfig } from "../doctor/wrangler-package.ts";
import { endGroupWithParent, supervise } from "./process-group.ts";

/** The project that a server process reads the configuration of. */
export interface ServedProject {
  root: string;
  /** The configuration file, absolute. */
  file: string;
  environment: string | undefined;
}

/** The first message of a server process. */
export type ConfigurationMessage = { config: WranglerConfig } | Finding;

/** The message that starts the local server of a server process. */
export interface ServerSettings {
  environment: string | undefined;
  ip: string;
  port: number;
  stateFolder: string;
  variables: readonly (readonly [name: string, value: string])[];
}

export function addServerCommands(program: Command, end: (code: ExitCode) => void): void {
  program
    .command("dev-server", { hidden: true })
    .argument("<project>")
    .action(async (project: string) => end(await serve(JSON.parse(project) as ServedProject)));
  program
    .command("supervise", { hidden: true })
    .argument("<program>")
    .argument("[arguments...]")
    // The exit code is that of the program.
    .action(async (name: string, args: string[]) => end((await supervise(name, args)) as ExitCode));
}

/**
 * Sends the project's configuration to the command `dev`, receives the settings and runs wrangler's local server without the inspector
 * until a signal ends it. Wrangler takes a second to load, so this process alone loads it.
 *
 * Wrangler's command line has no option to turn the inspector off. The inspector forwards each debugger message by a separate request, so
 * a model's answer of a thousand pieces at once would crash the server.
 */
async function serve({ root, file, environment: named }: ServedProject): Promise<ExitCode> {
  endGroupWithParent();
  const wrangler = findWrangler(root);
  if (!("program" in wrangler)) throw new CommandError(`${wrangler.name}: ${wrangler.detail}`);
  wrangler.load();
  const received = new Promise<ServerSettings>((resolve) => {
    process.once("message", (settings) => resolve(settings as ServerSettings));
  });
  process.send?.(readConfiguration({ wrangler, file }, named) satisfies ConfigurationMessage);
  const { environment, ip, port, stateFolder, variables } = await received;
  const worker = await wrangler.startWorker({
    config: file,
    env: environment,
    build: {
      nodejsCompatMode: (read: { compatibility_flags?: string[] }) =>
        read.compatibility_flags?.includes("nodejs_compat") === true ? "v2" : null,
    },
    bindings: Object.fromEntries(variables.map(([name, value]) => [name, { type: "plain_text", value }])),
    dev: { inspector: false, persist: stateFolder, server: { hostname: ip, port, secure: false }, watch: true },
  });
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
  await worker.dispose();
  return 0;
}
