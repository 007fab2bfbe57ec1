// The process that a command runs in, the folder that it works on, and how it ends.

import { statSync } from "node:fs";
import { resolve } from "node:path";

import type { Terminal } from "./terminal.ts";

/** The process that a command runs in. */
export interface CliContext {
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** The folder of the package `threadhold`. */
  packageRoot: string;
  /** Changes with the sources of the package: its version, in the repository a hash. */
  version: string;
  /** Writes a line to standard output. */
  print: (text: string) => void;
  /** Writes a line to standard error. */
  printError: (text: string) => void;
  /** Whether the output shows colours. */
  colours: boolean;
  /** The program and the arguments that start this command line again. */
  self: readonly [program: string, ...args: string[]];
  /** Asks the person at the terminal. Absent: nothing is asked. */
  terminal?: Terminal | undefined;
  /** Sends requests. Default: the `fetch` of Node. */
  fetch?: typeof fetch;
}

/** The folder that the option `--root` names, absolute. Throws a `CommandError` if it does not exist. */
export function projectFolder({ cwd }: Pick<CliContext, "cwd">, root: string): string {
  const folder = resolve(cwd, root);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
  throw new CommandError(`The folder ${folder} does not exist; correct --root.`);
}

/**
 * 0: done. 1: done, and the result is negative, for example a build with errors. 2: the command could not be carried out. The others: a
 * signal ended the command; as in a shell, the code is 128 plus the signal's number.
 */
export type ExitCode = 0 | 1 | 2 | 129 | 130 | 143;

/** Ends a command with a message for the user, which names what to do. It is shown without a stack. */
export class CommandError extends Error {
  override readonly name: string = "CommandError";
  readonly code: ExitCode = 2;
}

/** The signals that end a command, with their exit codes. */
export const endingSignals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** A signal that ends a command. */
export type EndingSignal = keyof typeof endingSignals;

/** Ends a command after a signal, when its processes have ended. */
export class CommandInterrupted extends CommandError {
  override readonly name = "CommandInterrupted";
  override readonly code: ExitCode;

  constructor(signal: EndingSignal, message: string) {
    super(message);
    this.code = endingSignals[signal];
  }
}
