// The process that the command runs in, and how the command ends with a message.

import type { Readable, Writable } from "node:stream";

export interface CreateContext {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** The command asks questions only if `input` and `output` are terminals. */
  input: Readable & { isTTY?: boolean };
  output: Writable & { isTTY?: boolean };
  errors: Writable;
}

/** 0: done. 1: the project exists, but its packages are not installed. 2: nothing was created. */
export type ExitCode = 0 | 1 | 2;

/** Ends the command with a message for the user, which names what to do. It is shown without a stack. */
export class CreateError extends Error {
  override readonly name = "CreateError";
}
