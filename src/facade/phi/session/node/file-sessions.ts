// Sessions as files, in the layout of phi-core (REQ-216, 217): `{dir}/{session_id}.json`, which only the user of this process can read. A file is
// written under another name, made durable and renamed, so that after a crash it is the old or the new one.

import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";

import { WriteQueues } from "#lib/write-queue.ts";

import { nullIfMissing, syncFolder, writeDurably } from "../../../node/durable-files.ts";
import { LoopError } from "../../loop-error.ts";
import type { Session, SessionData } from "../loop-session.ts";
import { assertSize, checkedSessionId, decodeSession, encodeSession, isSessionId } from "../session-codec.ts";
import { SessionError } from "../session-error.ts";
import { sessionsOfAgent } from "../session-store.ts";
import type { SessionStore } from "../session-store.ts";
import { withFiles } from "./file-error.ts";
import { lockSession } from "./session-lock.ts";

/** Options of `fileSessions`. */
export interface FileSessionOptions {
  /** The folder of the sessions. It is created when it is needed. */
  dir: string;
  /** Milliseconds to wait for another process that saves the same session. Default: 5,000. */
  lockWaitMs?: number;
}

const ending = ".json";
/** The files of a save that its process did not finish: `{session_id}.json.{uuid}.tmp`. */
const unfinished = /\.json(?:\.lock)?\.[0-9a-f-]{36}\.tmp$/;
/** Age in milliseconds after which an unfinished file belongs to a process that crashed. */
const abandonedAfter = 60 * 60 * 1000;

/** The writes of each file. All stores of this process share the queues, so that a save never overwrites a later save of another store. */
const queues = new WriteQueues();

/**
 * Keeps sessions as files. Saves of one process are executed in the order of their calls. If another process saves the same session, a save waits, and
 * rejects with `Locked` after `lockWaitMs`. Throws a LoopError for a wrong option.
 */
export function fileSessions({ dir, lockWaitMs = 5_000 }: FileSessionOptions): SessionStore {
  if (typeof dir !== "string" || dir === "")
    throw new LoopError(`The option dir is ${JSON.stringify(dir)}. Set it to the path of a folder.`);
  if (!(Number.isFinite(lockWaitMs) && lockWaitMs >= 0))
    throw new LoopError(`The option lockWaitMs is ${String(lockWaitMs)}. It has to be milliseconds, at least 0.`);
  const root = path.resolve(dir);
  const fileOf = (sessionId: string): string => path.join(root, checkedSessionId(sessionId) + ending);
  const store: SessionStore = {
    async save(session) {
      const bytes = encodeSession(session);
      const { session_id } = session;
      const file = fileOf(session_id);
      await queues.of(file).save(() =>
        withFiles(file, async () => {
          await mkdir(root, { recursive: true, mode: 0o700 });
          const unlock = await lockSession(file, session_id, lockWaitMs);
          try {
            await replaceFile(file, bytes);
          } finally {
            await unlock();
          }
          await removeAbandoned(root);
        }),
      );
    },
    async load(sessionId) {
      const file = fileOf(sessionId);
      await queues.settled(file);
      const bytes = await withFiles(file, () => readWhole(file, sessionId));
      if (bytes === null) throw SessionError.notFound(sessionId);
      return decodeSession(bytes, sessionId);
    },
    async listIds() {
      await queues.allSettled((file) => path.dirname(file) === root);
      const found = await withFiles(root, () => filesIn(root));
      return found.toSorted((one, other) => Number(other.changed - one.changed)).map(({ id }) => id);
    },
    async delete(sessionId) {
      const file = fileOf(sessionId);
      await queues.of(file).delete(() =>
        withFiles(file, async () => {
          if ((await nullIfMissing(stat(root))) === null) throw SessionError.notFound(sessionId);
          const unlock = await lockSession(file, sessionId, lockWaitMs);
          try {
            if ((await nullIfMissing(rm(file).then(() => true))) === null) throw SessionError.notFound(sessionId);
            await syncFolder(root);
          } finally {
            await unlock();
          }
        }),
      );
    },
    listForAgent: (agentId) => sessionsOfAgent(store, agentId),
  };
  return store;
}

/** Saves a session as `{dir}/{session_id}.json`. Returns the path of the file. */
export async function saveSession(session: SessionData, dir: string): Promise<string> {
  await fileSessions({ dir }).save(session);
  return path.join(path.resolve(dir), session.session_id + ending);
}

/** Loads the session in `{dir}/{session_id}.json`. */
export async function loadSession(sessionId: string, dir: string): Promise<Session> {
  return fileSessions({ dir }).load(sessionId);
}

/** The ids of the sessions in a folder, the last saved first; none if the folder does not exist. */
export async function listSessionIds(dir: string): Promise<string[]> {
  return fileSessions({ dir }).listIds();
}

/** Loads the sessions of an agent in a folder, the last saved first. */
export async function loadSessionsForAgent(agentId: string, dir: string): Promise<Session[]> {
  return fileSessions({ dir }).listForAgent(agentId);
}

/** Deletes `{dir}/{session_id}.json`. */
export async function deleteSession(sessionId: string, dir: string): Promise<void> {
  return fileSessions({ dir }).delete(sessionId);
}

async function replaceFile(file: string, bytes: Uint8Array): Promise<void> {
  const written = `${file}.${crypto.randomUUID()}.tmp`;
  try {
    await writeDurably(written, bytes);
    await rename(written, file);
  } catch (error) {
    await rm(written, { force: true });
    throw error;
  }
  await syncFolder(path.dirname(file));
}

/** The bytes of a file, whose size is checked before they are read; null if there is no such file. */
async function readWhole(file: string, sessionId: string): Promise<Uint8Array | null> {
  const handle = await nullIfMissing(open(file, "r"));
  if (handle === null) return null;
  try {
    const { size } = await handle.stat();
    assertSize(size, sessionId);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** The sessions in a folder, with the times of their files in nanoseconds. */
async function filesIn(root: string): Promise<{ id: string; changed: bigint }[]> {
  const entries = (await nullIfMissing(readdir(root, { withFileTypes: true }))) ?? [];
  const found: { id: string; changed: bigint }[] = [];
  for (const entry of entries) {
    const id = entry.name.slice(0, -ending.length);
    if (!entry.isFile() || !entry.name.endsWith(ending) || !isSessionId(id)) continue;
    const info = await nullIfMissing(stat(path.join(root, entry.name), { bigint: true }));
    if (info !== null) found.push({ id, changed: info.mtimeNs });
  }
  return found;
}

async function removeAbandoned(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (!unfinished.test(name)) continue;
    const info = await nullIfMissing(stat(path.join(root, name)));
    if (info !== null && Date.now() - info.mtimeMs > abandonedAfter) await rm(path.join(root, name), { force: true });
  }
}
