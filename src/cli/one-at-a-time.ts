// Lets one process at a time do a piece of work that several processes request, such as a check of types. Requests that arrive while the
// work is done cause it to be done once more at most.

import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { takeLock } from "./process-lock.ts";

interface SharedWork {
  /** The file that the working process holds. */
  lock: string;
  /** Whether nothing is left to do. */
  isDone: () => boolean;
  work: () => Promise<unknown>;
  /** Whether to wait for the work of another process; otherwise that process finishes later. */
  waits: boolean;
}

/**
 * Does the work until nothing is left to do.
 *
 * `isDone` is called again after the lock is released. So a process that does not get the lock can return at once: the process that has
 * the lock notices the changes.
 */
export async function oneAtATime({ lock, isDone, work, waits }: SharedWork): Promise<void> {
  while (!isDone()) {
    const taken = takeLock(lock);
    if ("release" in taken) {
      try {
        await work();
      } finally {
        taken.release();
      }
    } else if (waits) await delay(100);
    else return;
  }
}

/** Does work that a file requests. Leaves the work to the process that does it now, if there is one. */
export async function doRequested(requested: string, work: () => Promise<unknown>): Promise<void> {
  mkdirSync(dirname(requested), { recursive: true });
  writeFileSync(requested, "");
  await oneAtATime({
    lock: `${requested}.lock`,
    isDone: () => !existsSync(requested),
    work: async () => {
      rmSync(requested, { force: true });
      await work();
    },
    waits: false,
  });
}
