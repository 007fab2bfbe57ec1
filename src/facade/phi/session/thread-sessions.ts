// Sessions in the files of a thread, for agents that run in a tool of the thread. Each session has one file.

import { increasingTime } from "#lib/increasing-time.ts";
import { WriteQueues } from "#lib/write-queue.ts";
import type { FileRecord } from "#spec/thread-file.ts";
import type { ThreadState } from "#spec/thread-state.ts";

import { checkedSessionId, decodeSession, encodeSession, isSessionId } from "./session-codec.ts";
import { SessionError } from "./session-error.ts";
import type { SessionStore } from "./session-store.ts";
import { sessionsOfAgent } from "./session-store.ts";

const folder = "/.sessions";
const ending = ".json";

/** The functions for a thread's files that the store calls. The `state` of a tool has them. */
export type SessionFiles = Pick<ThreadState, "writeFile" | "readFile" | "statFile" | "readdirFile" | "unlinkFile">;

/** Keeps sessions as files of a thread, in the folder `/.sessions`. `state` is that of the tool in which the agent runs. */
export function threadSessions(state: SessionFiles): SessionStore {
  const queues = new WriteQueues();

  const store: SessionStore = {
    async save(session) {
      const bytes = encodeSession(session);
      const { session_id, agent_id } = session;
      const path = pathOf(session_id);
      const metadata = { session_id, agent_id: agent_id.slice(0, 200), saved_at: increasingTime() };
      await queues.of(path).save(() =>
        asSessionError(async () => {
          await state.writeFile(path, new Uint8Array(bytes).buffer, "application/json", { metadata });
        }),
      );
    },
    async load(sessionId) {
      const path = pathOf(checkedSessionId(sessionId));
      await queues.settled(path);
      const bytes = await asSessionError(() => state.readFile(path));
      if (bytes === null) throw SessionError.notFound(sessionId);
      return decodeSession(bytes, sessionId);
    },
    async listIds() {
      await queues.allSettled();
      const entries = await asSessionError(async () =>
        (await state.statFile(folder)) === null ? [] : (await state.readdirFile(folder)).entries,
      );
      return entries
        .toSorted((one, other) => savedAt(other) - savedAt(one))
        .filter(({ name, isDirectory }) => !isDirectory && name.endsWith(ending))
        .map(({ name }) => name.slice(0, -ending.length))
        .filter(isSessionId);
    },
    async delete(sessionId) {
      const path = pathOf(checkedSessionId(sessionId));
      await queues.of(path).delete(() =>
        asSessionError(async () => {
          if ((await state.statFile(path)) === null) throw SessionError.notFound(sessionId);
          await state.unlinkFile(path);
        }),
      );
    },
    listForAgent: (agentId) => sessionsOfAgent(store, agentId),
  };
  return store;
}

/** When a file was saved, in microseconds. The time of the file itself may be the same for files that are written in one request. */
function savedAt({ metadata, updatedAt }: FileRecord): number {
  const time = metadata?.["saved_at"];
  return typeof time === "number" ? time : (updatedAt ?? 0);
}

function pathOf(sessionId: string): string {
  return `${folder}/${sessionId}${ending}`;
}

async function asSessionError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof SessionError) throw cause;
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new SessionError("Io", `The files of the thread cannot be used: ${message}`, { cause });
  }
}
