// The function that runs the commands of `bash`. The default runs them in the Worker, over the thread's files. Another function may run
// them in a container or in a folder of a machine.

import type { ThreadState } from "#spec/index.ts";

/** The network of commands. */
export interface CommandNetwork {
  /**
   * The hosts that commands may request: `host`, `host:port`, `*.suffix`. A host in a private network also has to be one of the deployment's
   * `ALLOWED_OUTBOUND_HOSTS`.
   */
  allowedHosts: readonly string[];
  /** The methods of requests. Default `GET` and `HEAD`. */
  methods?: readonly string[];
  /** The maximum number of bytes of a response. Default 8 MiB. */
  maxResponseBytes?: number;
  /** The maximum number of requests of a command, with redirects. Default 100. */
  maxRequests?: number;
}

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
  /** The network of the command. Absent: none. A function that runs commands elsewhere has to enforce it. */
  network?: CommandNetwork;
}

/** The outcome of a command. */
export interface CommandOutput {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** Runs a command. Rejects if the command cannot be run; a command that fails has an exit code. */
export type RunCommand = (command: string, context: CommandContext) => Promise<CommandOutput>;
