// Errors of the file system as errors of a store.

import { codeOf } from "../../../node/durable-files.ts";
import { SessionError } from "../session-error.ts";

/** Runs work with files. An error of the platform becomes a SessionError with the path. */
export async function withFiles<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof SessionError || codeOf(cause) === "") throw cause;
    const code = codeOf(cause);
    if (code === "ENOSPC" || code === "EDQUOT")
      throw new SessionError("StorageFull", `There is no space for ${path} (${code}). The session was not saved.`, {
        cause,
      });
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new SessionError("Io", `The sessions in ${path} cannot be used: ${message}`, { cause });
  }
}
