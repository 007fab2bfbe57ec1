// The function that runs the commands of `bash`. The default runs them in the Worker, over the thread's files. Another function may run
// them in a container or in a folder of a machine.

import type { ThreadState } from "#spec/index.ts";

/** The context of a command. */
export interface CommandContext {
  /** The working directory, an absolute path. */
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Aborted when the call is cancelled or reaches its time limit. The function has to end the command then. */
  signal: AbortSignal;
  /** The maximum number of bytes of each output in the result. The function may drop the bytes after it. */
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
