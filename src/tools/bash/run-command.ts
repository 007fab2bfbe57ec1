// The place where the commands of `bash` run: by default in the Worker, over the thread's files. Another one may be a container or a folder
// of a machine.

import type { ThreadState } from "#spec/index.ts";

/** What a command runs with. */
export interface CommandContext {
  /** The working directory, an absolute path. */
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Aborted when the call is cancelled or reaches its time limit: end the command then. */
  signal: AbortSignal;
  /** Bytes of each output after which the rest may be dropped. */
  maxOutputBytes: number;
  /** The id of the tool call. */
  callId: string;
  state: ThreadState;
}

/** The outcome of a command. */
export interface CommandOutput {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** Runs a command. Rejects if the command cannot be run; a command that fails has an exit code. */
export type RunCommand = (command: string, context: CommandContext) => Promise<CommandOutput>;
