// The command line `threadhold`: reads arguments, calls a command, and turns its result into an exit code.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { Command, CommanderError } from "commander";

import { addBuildCommands } from "./build-commands.ts";
import { CommandError, type CliContext, type ExitCode } from "./context.ts";
import { addDoctorCommand } from "./doctor/doctor-command.ts";
import { addNewCommand } from "./new/new-command.ts";

/** Runs a command line, without the program's name, and returns the exit code. Prints errors and does not throw them. */
export async function runCli(argv: readonly string[], context: CliContext): Promise<ExitCode> {
  let code: ExitCode = 0;
  const program = createProgram(context, (result) => (code = result));
  try {
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof CommandError) context.printError(error.message);
    else context.printError(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return 2;
  }
}

/** Adds a command to the program. `end` takes the exit code. */
export type AddCommand = (program: Command, context: CliContext, end: (code: ExitCode) => void) => void;

const commands: readonly AddCommand[] = [addBuildCommands, addNewCommand, addDoctorCommand];

function createProgram(context: CliContext, end: (code: ExitCode) => void): Command {
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
      writeErr: (text) => context.printError(text.trimEnd()),
    });
  for (const add of commands) add(program, context, end);
  return program;
}

function versionOf(packageRoot: string): string {
  const manifest = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string };
  return manifest.version;
}
