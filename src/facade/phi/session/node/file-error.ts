// Errors of the file system as errors of a store.

import { SessionError } from "../session-error.ts";

/** The code of an error of the platform; an empty text for any other value. */
export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | null)?.code ?? "";
}

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
