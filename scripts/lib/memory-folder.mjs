// A temporary folder in memory, if the system has one with enough space. Tests inside the Workers runtime write to databases all the
// time. The runtime waits for the disk after each write, which takes longer than the tests themselves.

import { mkdirSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { freemem } from "node:os";
import path from "node:path";

const parent = "/dev/shm";
const name = /^threadhold-tests-(?<pid>\d+)$/;
/** More than the tests of all fault points need. Their databases are removed together at the end. */
const enoughBytes = 4 * 2 ** 30;

/**
 * Makes the folder of this process, and removes those of processes that were killed.
 *
 * @returns {{ path: string, remove: () => void } | undefined} undefined if the system's temporary folder has to be used
 */
export function makeMemoryFolder() {
  try {
    const { bavail, bsize } = statfsSync(parent);
    if (Math.min(bavail * bsize, freemem()) < enoughBytes) return undefined;
    for (const entry of readdirSync(parent)) {
      const pid = name.exec(entry)?.groups?.pid;
      if (pid !== undefined && !isRunning(Number(pid))) removeFolder(path.join(parent, entry));
    }
    const folder = path.join(parent, `threadhold-tests-${process.pid}`);
    mkdirSync(folder, { recursive: true });
    return { path: folder, remove: () => removeFolder(folder) };
  } catch (error) {
    // Systems other than Linux have no such folder, and containers may not permit writing to it.
    if (!["ENOENT", "EACCES", "EPERM", "EROFS"].includes(error.code)) throw error;
    return undefined;
  }
}

const removeFolder = (folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== "ESRCH";
  }
}
