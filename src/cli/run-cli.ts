// The command line `threadhold`: reads arguments, calls a command, and turns its result into an exit code.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { Command, CommanderError } from "commander";

import { CommandError, type CliContext, type ExitCode } from "./context.ts";

/**
 * Runs a command line, without the program's name, and returns the exit code. Prints errors and does not throw them. With `--json` an error
 * is a line of JSON on standard output, as the result would be.
 */
export async function runCli(argv: readonly string[], context: CliContext): Promise<ExitCode> {
  let code: ExitCode = 0;
  const json = printsJson(argv);
  const messages = json ? { ...context, printError: () => undefined } : context;
  const program = createProgram(await loadCommands(argv[0] ?? ""), { context, messages }, (result) => (code = result));
  const printFailure = (message: string): void => context.print(JSON.stringify({ ok: false, error: message }));
  try {
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has already printed the message, unless the result is JSON.
      if (json && error.exitCode !== 0) printFailure(error.message.replace(/^error: /, ""));
      return error.exitCode === 0 ? 0 : 2;
    }
    const message = error instanceof Error ? error.message : String(error);
    if (json) printFailure(message);
    else if (error instanceof CommandError) context.printError(message);
    else context.printError(error instanceof Error ? (error.stack ?? message) : message);
    return error instanceof CommandError ? error.code : 2;
  }
}

/** Whether the result of a command line is JSON. The command `dev` has no result: its `--json` is about the log of the Worker. */
function printsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv[0] !== "dev" && argv.slice(0, end === -1 ? undefined : end).includes("--json");
}

/** Adds a command to the program. `end` takes the exit code. */
export type AddCommand = (program: Command, context: CliContext, end: (code: ExitCode) => void) => void;

type LoadCommand = () => Promise<AddCommand>;

const build: LoadCommand = async () => (await import("./build-commands.ts")).addBuildCommands;
const dev: LoadCommand = async () => (await import("./dev/dev-command.ts")).addDevCommand;

/** The functions that load the commands, in the order of the help. The hidden commands are last. */
const commands = new Map<string, LoadCommand>([
  ["init", async () => (await import("./init/init-command.ts")).addInitCommand],
  ["dev", dev],
  ["build", build],
  ["check", build],
  ["new", async () => (await import("./new/new-command.ts")).addNewCommand],
  ["doctor", async () => (await import("./doctor/doctor-command.ts")).addDoctorCommand],
  ["models", async () => (await import("./models/models-command.ts")).addModelsCommand],
  ["deploy", async () => (await import("./deploy/deploy-command.ts")).addDeployCommand],
  ["upgrade", async () => (await import("./upgrade/upgrade-command.ts")).addUpgradeCommand],
  ["dev-server", dev],
  ["supervise", dev],
]);

/**
 * Loads the command with this name. Without such a command, loads all commands, for the help and for errors. Loading all takes longer than
 * most commands run, and a development server starts several commands.
 */
function loadCommands(name: string): Promise<AddCommand[]> {
  const named = commands.get(name);
  const loads = named === undefined ? new Set(commands.values()) : [named];
  return Promise.all([...loads].map((load) => load()));
}

/** `messages` prints what commander reports. */
function createProgram(
  adds: readonly AddCommand[],
  { context, messages }: { context: CliContext; messages: Pick<CliContext, "printError"> },
  end: (code: ExitCode) => void,
): Command {
  const program = new Command("threadhold")
    .description(
      "Durable AI-agent threads on Cloudflare Workers: builds, serves and deploys the definitions in agents/.",
    )
    .version(versionOf(context.packageRoot), "--version", "print the version")
    .helpOption("--help", "print this help")
    .helpCommand(false)
    .showHelpAfterError("Run the command with --help to see its options.")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.print(text.trimEnd()),
      writeErr: (text) => messages.printError(text.trimEnd()),
    });
  for (const add of adds) add(program, context, end);
  return program;
}

function versionOf(packageRoot: string): string {
  const manifest = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string };
  return manifest.version;
}
