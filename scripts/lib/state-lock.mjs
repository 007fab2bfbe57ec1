// Allows one server per state folder, because two would run the same objects on the same files. The lock is a file with the owner's pid.
// The lock of a process that has ended is replaced.

import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

export const lockName = "threadhold.lock";

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return error.code === "EPERM";
  }
}

function ownerOf(file) {
  try {
    const pid = Number(readFileSync(file, "utf8").trim());
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} folder created if it does not exist
 * @param {number} [pid]
 * @returns {{ release: () => void } | { heldBy: number }}
 */
export function lockState(folder, pid = process.pid) {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, lockName);
  const draft = `${file}.${pid}`;
  // A link appears atomically, so a lock file always contains its pid.
  writeFileSync(draft, `${pid}\n`);
  try {
    for (;;) {
      try {
        linkSync(draft, file);
        return { release: () => release(file, pid) };
      } catch (error) {
        if (error.code !== "EEXIST") throw error;
      }
      const owner = ownerOf(file);
      if (owner !== undefined && owner !== pid && isAlive(owner)) return { heldBy: owner };
      rmSync(file, { force: true });
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

function release(file, pid) {
  if (ownerOf(file) === pid) rmSync(file, { force: true });
}
