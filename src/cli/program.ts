// The command line as a program: runs a command in this process, with its streams and environment, and ends the process.

import type { CliContext } from "./context.ts";
import { runCli } from "./run-cli.ts";
import { openTerminal } from "./terminal.ts";

/** The installed package, and how to start this program again. */
type Program = Pick<CliContext, "packageRoot" | "version" | "self">;

/** Runs a command line, and ends the process with its exit code. */
export async function runProgram(argv: readonly string[], program: Program): Promise<void> {
  const code = await runCli(argv, {
    ...program,
    env: process.env,
    cwd: process.cwd(),
    print: (text) => process.stdout.write(`${text}\n`),
    printError: (text) => process.stderr.write(`${text}\n`),
    colours: process.stdout.isTTY === true && !process.env["NO_COLOR"],
    terminal: openTerminal(),
  });
  // A definition may have left a timer or a socket open; the command does not wait for it.
  process.stdout.write("", () => process.stderr.write("", () => process.exit(code)));
}
