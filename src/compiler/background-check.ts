// Runs at most one type check at a time. One or more requests during a check cause one more check after it.

import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { readIfExists } from "./changed-file.ts";

const folder = ".cache/types";

/** Runs `check` for this request, or leaves it to the process that is checking now. */
export async function checkOnceAtATime(root: string, check: () => Promise<unknown>): Promise<void> {
  const requested = join(root, folder, "requested");
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(requested, "");
  // A request that arrives while the lock is released either takes the lock itself or is found by this loop.
  while (existsSync(requested) && takeLock(root)) {
    try {
      rmSync(requested, { force: true });
      await check();
    } finally {
      rmSync(lockFile(root), { force: true });
    }
  }
}

const lockFile = (root: string): string => join(root, folder, "pid");

function takeLock(root: string): boolean {
  for (const _attempt of [1, 2]) {
    try {
      writeFileSync(lockFile(root), String(process.pid), { flag: "wx" });
      return true;
    } catch {
      const holder = Number(readIfExists(lockFile(root))?.toString("utf8"));
      if (holder > 0 && isAlive(holder)) return false;
      // The process that holds the lock has ended, so the lock is removed.
      rmSync(lockFile(root), { force: true });
    }
  }
  return false;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // ESRCH: no process has this id. EPERM: the process belongs to another user, so it is not a check of this user.
    return false;
  }
}
