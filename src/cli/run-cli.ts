// The command line `threadhold`: reads arguments, calls a command, and turns its result into an exit code.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { Command, CommanderError } from "commander";

import { addBuildCommands } from "./build-commands.ts";
import { CommandError, type CliContext, type ExitCode } from "./context.ts";
import { addDeployCommand } from "./deploy/deploy-command.ts";
import { addDevCommand } from "./dev/dev-command.ts";
import { addDoctorCommand } from "./doctor/doctor-command.ts";
import { addInitCommand } from "./init/init-command.ts";
import { addNewCommand } from "./new/new-command.ts";
import { addUpgradeCommand } from "./upgrade/upgrade-command.ts";

/**
 * Runs a command line, without the program's name, and returns the exit code. Prints errors and does not throw them. With `--json` an error
 * is a line of JSON on standard output, as the result would be.
 */
export async function runCli(argv: readonly string[], context: CliContext): Promise<ExitCode> {
  let code: ExitCode = 0;
  const json = printsJson(argv);
  const messages = json ? { ...context, printError: () => undefined } : context;
  const program = createProgram({ context, messages }, (result) => (code = result));
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

const commands: readonly AddCommand[] = [
  addInitCommand,
  addDevCommand,
  addBuildCommands,
  addNewCommand,
  addDoctorCommand,
  addDeployCommand,
  addUpgradeCommand,
];

/** `messages` prints what commander reports. */
function createProgram(
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
  for (const add of commands) add(program, context, end);
  return program;
}

function versionOf(packageRoot: string): string {
  const manifest = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string };
  return manifest.version;
}
