// Hidden commands that run inside the process group of a server: wrangler's local server, and any other program.

import type { Command } from "commander";

import { CommandError, type ExitCode } from "../context.ts";
import { findWrangler } from "../doctor/wrangler-package.ts";
import { endGroupWithParent, supervise } from "./process-group.ts";

/** The settings of a local server. */
export interface ServerSettings {
  root: string;
  config: string;
  environment: string | undefined;
  ip: string;
  port: number;
  stateFolder: string;
  variables: readonly (readonly [name: string, value: string])[];
}

/** Adds the commands `dev-server` and `supervise`. */
export function addServerCommands(program: Command, end: (code: ExitCode) => void): void {
  program
    .command("dev-server", { hidden: true })
    .argument("<settings>")
    .action(async (settings: string) => end(await serve(JSON.parse(settings) as ServerSettings)));
  program
    .command("supervise", { hidden: true })
    .argument("<program>")
    .argument("[arguments...]")
    // The exit code is that of the program.
    .action(async (name: string, args: string[]) => end((await supervise(name, args)) as ExitCode));
}

/**
 * Runs wrangler's local server without the inspector until a signal ends it. Wrangler's command line has no option to turn the inspector
 * off. The inspector forwards each debugger message by a separate request, so a model's answer of a thousand pieces at once would crash
 * the server.
 */
async function serve(settings: ServerSettings): Promise<ExitCode> {
  endGroupWithParent();
  const { root, config, environment, ip, port, stateFolder, variables } = settings;
  const wrangler = findWrangler(root);
  if (!("program" in wrangler)) throw new CommandError(`${wrangler.name}: ${wrangler.detail}`);
  const worker = await wrangler.startWorker({
    config,
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
