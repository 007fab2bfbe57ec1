// Files that survive a kill and a power failure, for the stores of the facades in Node.

import { open } from "node:fs/promises";

import { increasingTime } from "#lib/increasing-time.ts";

/**
 * Writes a file that does not exist, which only its user can read, and makes its bytes durable. Its time of change is later than that of
 * every file that this process wrote before; file systems give the same time to files that are written within a few milliseconds.
 */
export async function writeDurably(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(bytes);
    const seconds = increasingTime() / 1_000_000;
    await handle.utimes(seconds, seconds);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the names in a folder durable. Skipped on Windows, which cannot open folders. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The code of an error of the platform; an empty text for any other value. */
export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | null)?.code ?? "";
}

/** Returns the result; null if the file or the folder does not exist. */
export async function nullIfMissing<T>(result: Promise<T>): Promise<T | null> {
  try {
    return await result;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}
