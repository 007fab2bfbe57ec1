// Lets one process at a time do a piece of work that several processes request, such as a build. Requests that arrive while the work is
// done cause it to be done once more at most.

import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** The age from which a lock is removed: its process was killed, and another process may have that process's id now. */
const oldestLockMs = 30 * 60 * 1000;

/**
 * Does the work until nothing is left to do.
 *
 * `isDone` is called again after the lock is released. So a process that does not get the lock can return at once: the process that has
 * the lock notices the changes.
 *
 * @param {object} options
 * @param {string} options.lock the file that the working process holds
 * @param {() => boolean} options.isDone whether nothing is left to do
 * @param {() => Promise<void>} options.work
 * @param {boolean} options.waits whether to wait for the work of another process; otherwise that process finishes later
 */
export async function oneAtATime({ lock, isDone, work, waits }) {
  while (!isDone()) {
    if (takeLock(lock)) {
      try {
        await work();
      } finally {
        rmSync(lock, { force: true });
      }
    } else if (waits) await wait(100);
    else return;
  }
}

function takeLock(lock) {
  mkdirSync(path.dirname(lock), { recursive: true });
  for (const _attempt of [1, 2]) {
    try {
      writeFileSync(lock, String(process.pid), { flag: "wx" });
      return true;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      if (isHeld(lock)) return false;
      rmSync(lock, { force: true });
    }
  }
  return false;
}

function isHeld(lock) {
  const { mtimeMs } = statSync(lock, { throwIfNoEntry: false }) ?? {};
  if (mtimeMs === undefined || Date.now() - mtimeMs > oldestLockMs) return false;
  try {
    const holder = Number(readFileSync(lock, "utf8"));
    // The holder has created the file and has not written its id yet.
    if (holder === 0) return true;
    process.kill(holder, 0);
    return true;
  } catch (error) {
    // Another user's process. Otherwise the process has ended, or the lock has been released in the meantime.
    return error.code === "EPERM";
  }
}
