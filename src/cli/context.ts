// What a command knows of its process, and how a command ends.

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
}

/** 0: done. 1: done, and the result is negative, for example a build with errors. 2: the command could not be carried out. */
export type ExitCode = 0 | 1 | 2;

/** Ends a command with a message for the user, which names what to do. It is shown without a stack. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
