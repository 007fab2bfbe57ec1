// `threadhold dev`: its options.

import { resolve } from "node:path";

import { InvalidArgumentError, type Command } from "commander";

import type { CliContext, ExitCode } from "../context.ts";
import { addServerCommands } from "./server-commands.ts";

/** The options of `threadhold dev`. All paths are absolute. */
export interface DevOptions {
  root: string;
  /** As given; undefined leaves the choice to the command. */
  port: number | undefined;
  /** As given; undefined is the folder of wrangler. */
  stateFolder: string | undefined;
  ip: string | undefined;
  config: string | undefined;
  environment: string | undefined;
  variables: [name: string, value: string][];
  /** Whether the Worker's log lines are printed as they are. */
  json: boolean;
  /** Whether wrangler's inspector runs. */
  inspect: boolean;
  /** Options for the command line of `wrangler dev`. */
  rest: string[];
}

interface GivenOptions {
  root: string;
  port?: number;
  persistTo?: string;
  ip?: string;
  config?: string;
  env?: string;
  var?: [name: string, value: string][];
  json?: boolean;
  inspect?: boolean;
}

export function addDevCommand(program: Command, context: CliContext, end: (code: ExitCode) => void): void {
  configureDevCommand(program.command("dev"), context, async (options) => {
    // Imported here, so that other commands start without it.
    const { runDev } = await import("./run-dev.ts");
    end(await runDev(options, context));
  });
  addServerCommands(program, end);
}

/** Gives a command the options of `dev`. */
export function configureDevCommand(
  command: Command,
  { cwd }: Pick<CliContext, "cwd">,
  run: (options: DevOptions) => Promise<void> | void,
): void {
  command
    .description("Serve the project on this machine. No account, key or container is needed.")
    .option("--root <folder>", "the folder that contains agents/", ".")
    .option("--port <number>", "listen on this port (default: 8787, or the next free one)", parsePort)
    .option(
      "--state, --persist-to <folder>",
      "store threads and the catalog here (default: .wrangler/state)",
      parseText,
    )
    .option("--ip <address>", "listen on this address (default: localhost)", parseText)
    .option("--var <name:value>", "set a variable; may be repeated", addVariable)
    .option("-c, --config <file>", "another wrangler configuration", parseText)
    .option("-e, --env <name>", "an environment of the wrangler configuration", parseText)
    .option("--json", "print the Worker's log as the JSON lines that it writes")
    .option(
      "--inspect",
      "serve with wrangler's inspector, for a debugger; bursts of events may then overload the server",
    )
    .helpOption("-h, --help", "print this help")
    .addHelpText(
      "after",
      "\nAny other option is one of `wrangler dev`, whose command line then serves, with its inspector.",
    )
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (given: GivenOptions, { args }: Command) => {
      const path = (value: string | undefined): string | undefined =>
        value === undefined ? undefined : resolve(cwd, value);
      await run({
        root: resolve(cwd, given.root),
        port: given.port,
        stateFolder: path(given.persistTo),
        ip: given.ip,
        config: path(given.config),
        environment: given.env,
        variables: given.var ?? [],
        json: given.json === true,
        inspect: given.inspect === true,
        rest: args,
      });
    });
}

function parseText(text: string): string {
  if (text === "") throw new InvalidArgumentError("It needs a value.");
  return text;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new InvalidArgumentError("It is no port number.");
  return port;
}

function addVariable(text: string, before: [name: string, value: string][] = []): [name: string, value: string][] {
  const colon = text.indexOf(":");
  if (colon < 1) throw new InvalidArgumentError("It is no NAME:VALUE.");
  return [...before, [text.slice(0, colon), text.slice(colon + 1)]];
}
