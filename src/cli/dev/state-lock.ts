// Allows one server per state folder, because two would run the same objects on the same files.

import { join } from "node:path";

import { lockHolder, takeLock } from "../process-lock.ts";

export const lockName = "threadhold.lock";

/** The process that holds the lock of a folder. */
export const lockOwner = (folder: string): number | undefined => lockHolder(join(folder, lockName));

/** Locks a folder, which is created if it does not exist, or returns the process that holds the lock. */
export const lockState = (folder: string, pid = process.pid): ReturnType<typeof takeLock> =>
  takeLock(join(folder, lockName), pid);
