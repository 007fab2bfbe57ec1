// Allows one server per state folder, because two would run the same objects on the same files. The lock is a file with the owner's pid and
// the time when the owner started, because the system reuses the pid of a process that has ended. The lock of a process that has ended is
// replaced.

import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const lockName = "threadhold.lock";

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** When a process started, in the notation of the system; undefined if the system does not provide it. */
function startOf(pid: number): string | undefined {
  try {
    if (process.platform === "linux") {
      // The name of the program, in parentheses, may contain spaces. The start is the 20th field after it.
      const status = readFileSync(`/proc/${String(pid)}/stat`, "utf8");
      return status.slice(status.lastIndexOf(")") + 2).split(" ")[19];
    }
    if (process.platform === "win32") return undefined;
    const args = ["-o", "lstart=", "-p", String(pid)];
    // Without these variables the notation depends on the terminal, and changes when the machine changes its time zone.
    const env = { ...process.env, LC_ALL: "C", TZ: "UTC" };
    return execFileSync("ps", args, { encoding: "utf8", env, stdio: ["ignore", "pipe", "ignore"] }).trim() || undefined;
  } catch {
    return undefined;
  }
}

interface Owner {
  pid: number;
  /** Absent if the system does not provide it. */
  start: string | undefined;
}

function ownerOf(file: string): Owner | undefined {
  try {
    const [first = "", start = ""] = readFileSync(file, "utf8").split("\n");
    const pid = Number(first.trim());
    return Number.isInteger(pid) && pid > 0 ? { pid, start: start.trim() || undefined } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the process that wrote a lock still runs. */
function isRunning({ pid, start }: Owner): boolean {
  if (!isAlive(pid)) return false;
  const current = startOf(pid);
  return start === undefined || current === undefined || start === current;
}

/** The process that holds the lock of a folder. */
export function lockOwner(folder: string): number | undefined {
  const owner = ownerOf(join(folder, lockName));
  return owner !== undefined && isRunning(owner) ? owner.pid : undefined;
}

/** Locks a folder, which is created if it does not exist, or returns the process that holds the lock. */
export function lockState(folder: string, pid = process.pid): { release: () => void } | { heldBy: number } {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, lockName);
  const draft = `${file}.${String(pid)}`;
  // A link appears atomically, so a lock file always contains its pid.
  writeFileSync(draft, `${String(pid)}\n${startOf(pid) ?? ""}\n`);
  try {
    for (;;) {
      try {
        linkSync(draft, file);
        return { release: () => release(file, pid) };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
      const owner = ownerOf(file);
      if (owner !== undefined && owner.pid !== pid && isRunning(owner)) return { heldBy: owner.pid };
      rmSync(file, { force: true });
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

function release(file: string, pid: number): void {
  if (ownerOf(file)?.pid === pid) rmSync(file, { force: true });
}
