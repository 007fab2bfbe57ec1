// The lock of a session's file: a file next to it, which names the process that saves. Node has no lock that the system removes with its process, so
// a lock whose process has ended, or that is old, is taken over.
//
// The lock keeps two processes from saving a session at the same time. A save is complete in any case, because it renames a whole file.

import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";

import { fieldsOf, parseJson } from "#lib/json-value.ts";

import { codeOf } from "../../../node/durable-files.ts";
import { SessionError } from "../session-error.ts";

/** Age in milliseconds after which a lock is taken over. A save takes a few milliseconds. */
const staleAfter = 60_000;
/** The time in milliseconds in which a lock without a readable owner is being written. */
const writtenWithin = 5_000;
/** The time in milliseconds between two attempts. */
const attemptEvery = 25;

/** Creates the lock, or throws `Locked` after `waitMs` milliseconds. Returns the function that removes it. */
export async function lockSession(file: string, sessionId: string, waitMs: number): Promise<() => Promise<void>> {
  const path = `${file}.lock`;
  const id = crypto.randomUUID();
  const text = JSON.stringify({ id, pid: process.pid, host: hostname(), since: new Date().toISOString() });
  const giveUpAt = Date.now() + waitMs;
  for (;;) {
    if (await isCreated(path, text)) return () => removeOwn(path, id);
    if (await isTakenOver(path)) continue;
    if (Date.now() >= giveUpAt) {
      const { pid, host } = fieldsOf(parseJson((await textOf(path)) ?? ""));
      const owner = typeof pid === "number" ? `the process ${pid} on ${String(host)}` : "another process";
      throw new SessionError(
        "Locked",
        `The session ${JSON.stringify(sessionId)} is being saved by ${owner}. Save it again, or delete ${path} if no process saves it.`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, attemptEvery));
  }
}

async function isCreated(path: string, text: string): Promise<boolean> {
  const handle = await open(path, "wx", 0o600).catch((error: unknown) => {
    if (codeOf(error) === "EEXIST") return null;
    throw error;
  });
  if (handle === null) return false;
  try {
    await handle.writeFile(text);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return true;
}

/** Removes a lock that its owner left. Returns whether the lock may be free now. */
async function isTakenOver(path: string): Promise<boolean> {
  const text = await textOf(path);
  if (text === null) return true;
  const info = await stat(path).catch(() => null);
  if (info === null) return true;
  const owner = fieldsOf(parseJson(text));
  const age = Date.now() - info.mtimeMs;
  if (!(age > staleAfter || isAbandoned(owner, age))) return false;
  // Only one process succeeds in renaming the file. Another one may have replaced the lock since it was read.
  const taken = `${path}.${crypto.randomUUID()}.tmp`;
  try {
    await rename(path, taken);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return true;
    throw error;
  }
  if ((await textOf(taken)) === text) await rm(taken, { force: true });
  else await rename(taken, path);
  return true;
}

function isAbandoned({ pid, host }: Record<string, unknown>, age: number): boolean {
  if (typeof pid !== "number" || typeof host !== "string") return age > writtenWithin;
  return host === hostname() && !isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process belongs to another user.
    return codeOf(error) === "EPERM";
  }
}

async function removeOwn(path: string, id: string): Promise<void> {
  if (fieldsOf(parseJson((await textOf(path)) ?? ""))["id"] === id) await rm(path, { force: true });
}

async function textOf(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  });
}
