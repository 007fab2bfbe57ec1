// A lock that one process at a time holds: a file with the holder's pid, the time when the holder started, because the system reuses the
// pid of a process that has ended, and a random number. The lock of a process that has ended, also of a killed one, is free at once.

import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  constants,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

/** A lock that this process holds. */
interface HeldLock {
  release: () => void;
}

/** A lock that another process holds. */
interface ForeignLock {
  heldBy: number;
}

interface Owner {
  pid: number;
  /** Absent if the system does not provide it. */
  start: string | undefined;
}

/** The texts of owners that this process wrote and has not released. */
const own = new Set<string>();
/** When the times of start were compared, by text. On macOS that starts a program, and a waiting process asks many times a second. */
const comparedAt = new Map<string, number>();
const comparedForMs = process.platform === "linux" ? 0 : 1000;

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
      // The name of the program, in parentheses, may contain spaces. The state is the first field after it, and the start the 20th.
      const status = readFileSync(`/proc/${String(pid)}/stat`, "utf8");
      const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
      // A process that has ended keeps its pid until its parent reads the exit code, which some parents never do.
      return fields[0] === "Z" ? "ended" : fields[19];
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

/** A text that identifies a process, different at each call. It counts as running until `retire` gets it. */
export function ownerText(pid = process.pid): string {
  const text = `${String(pid)}\n${startOf(pid) ?? ""}\n${randomBytes(8).toString("hex")}\n`;
  own.add(text);
  return text;
}

/** Ends the use of a text of this process. */
export function retire(text: string): void {
  own.delete(text);
}

function parseOwner(text: string): Owner | undefined {
  const [first = "", start = ""] = text.split("\n");
  const pid = Number(first.trim());
  return Number.isInteger(pid) && pid > 0 ? { pid, start: start.trim() || undefined } : undefined;
}

/** The pid in an owner's text if the process that wrote the text still runs. */
export function runningOwner(text: string | undefined): number | undefined {
  const owner = text === undefined ? undefined : parseOwner(text);
  if (text === undefined || owner === undefined) return undefined;
  const { pid, start } = owner;
  if (pid === process.pid) return own.has(text) ? pid : undefined;
  if (!isAlive(pid)) return undefined;
  if (Date.now() - (comparedAt.get(text) ?? 0) < comparedForMs) return pid;
  const current = startOf(pid);
  if (current === "ended" || (![start, current].includes(undefined) && current !== start)) return undefined;
  comparedAt.set(text, Date.now());
  return pid;
}

/** The text of a file; undefined if there is none. */
export function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // A missing and an unreadable file have the same result.
    return undefined;
  }
}

/** The process that holds a lock. */
export const lockHolder = (file: string): number | undefined => runningOwner(readText(file));

/** Takes a lock, whose folder is created if it does not exist, or returns the process that holds it. */
export function takeLock(file: string, pid = process.pid): HeldLock | ForeignLock {
  mkdirSync(dirname(file), { recursive: true });
  const text = ownerText(pid);
  const draft = `${file}.${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
  // A link appears atomically, so a lock file always contains the text of its owner.
  writeFileSync(draft, text);
  const release = (): void => {
    retire(text);
    if (readText(file) === text) rmSync(file, { force: true });
  };
  try {
    for (;;) {
      if (link(draft, file)) return { release };
      const heldBy = takeOver(file, draft);
      if (heldBy === 0) return { release };
      if (heldBy === undefined) continue;
      retire(text);
      return { heldBy };
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Replaces a lock whose holder has ended, and returns 0. Returns the process that holds the lock, or undefined if the lock has changed in the
 * meantime.
 *
 * Only the process that creates the file of succession of a holder may replace the lock of that holder. So of several processes that see
 * the same ended holder at the same time one gets the lock. The successor may have ended too, so its own succession follows.
 */
function takeOver(file: string, draft: string): number | undefined {
  const found = readText(file);
  let last = found;
  while (last !== undefined) {
    const heldBy = runningOwner(last);
    if (heldBy !== undefined) return heldBy;
    const succession = `${file}.after-${createHash("sha256").update(last).digest("hex").slice(0, 16)}`;
    if (link(draft, succession)) {
      // An earlier successor has already removed its file of succession if the lock has another text.
      const isValid = readText(file) === found;
      if (isValid) renameSync(draft, file);
      rmSync(succession, { force: true });
      if (isValid) removeRemains(file);
      return isValid ? 0 : undefined;
    }
    last = readText(succession);
  }
  return undefined;
}

/** Removes the files that processes left next to a lock when they were killed. An empty file is being written. */
function removeRemains(file: string): void {
  for (const name of readdirSync(dirname(file))) {
    if (!name.startsWith(`${basename(file)}.`)) continue;
    const path = join(dirname(file), name);
    const text = readText(path);
    if (text !== undefined && text !== "" && runningOwner(text) === undefined) rmSync(path, { force: true });
  }
}

/** Errors of file systems without hard links, such as shared folders of virtual machines and exFAT. */
const withoutLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EINVAL"]);

/** Creates a link, or a copy if the file system has no links. Returns false if its name exists. */
function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (!withoutLinks.has(code)) throw error;
    return copy(from, to);
  }
}

function copy(from: string, to: string): boolean {
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
