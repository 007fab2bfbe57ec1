// The interface of a store of sessions, and the store in memory.

import type { Session, SessionData } from "./loop-session.ts";
import { checkedSessionId, decodeSession, encodeSession } from "./session-codec.ts";
import { SessionError } from "./session-error.ts";

/** Stores sessions by their ids. Each function rejects with a SessionError if it fails. `sessionStoreContract` tests a store. */
export interface SessionStore {
  /** Saves a session in place of the one with its id. */
  save(session: SessionData): Promise<void>;
  /** Returns a session. Rejects with `NotFound` if there is none. */
  load(sessionId: string): Promise<Session>;
  /** The ids of all sessions, the last saved first. */
  listIds(): Promise<string[]>;
  /** Deletes a session. Rejects with `NotFound` if there is none. */
  delete(sessionId: string): Promise<void>;
  /** Loads the sessions of an agent, the last saved first. */
  listForAgent(agentId: string): Promise<Session[]>;
}

/** Loads the sessions of an agent. A session that is deleted in the meantime is left out. */
export async function sessionsOfAgent(
  store: Pick<SessionStore, "listIds" | "load">,
  agentId: string,
): Promise<Session[]> {
  const sessions: Session[] = [];
  for (const id of await store.listIds()) {
    const session = await store.load(id).catch((error: unknown) => {
      if (error instanceof SessionError && error.kind === "NotFound") return null;
      throw error;
    });
    if (session?.agent_id === agentId) sessions.push(session);
  }
  return sessions;
}

/** Keeps sessions in memory, as JSON: for tests, and for sessions that end with their process. */
export function memorySessions(): SessionStore {
  const saved = new Map<string, Uint8Array>();
  const store: SessionStore = {
    async save(session) {
      const bytes = encodeSession(session);
      // The order of a Map is that of the first insertion.
      saved.delete(session.session_id);
      saved.set(session.session_id, bytes);
    },
    async load(sessionId) {
      const bytes = saved.get(checkedSessionId(sessionId));
      if (bytes === undefined) throw SessionError.notFound(sessionId);
      return decodeSession(bytes, sessionId);
    },
    async listIds() {
      return [...saved.keys()].toReversed();
    },
    async delete(sessionId) {
      if (!saved.delete(checkedSessionId(sessionId))) throw SessionError.notFound(sessionId);
    },
    listForAgent: (agentId) => sessionsOfAgent(store, agentId),
  };
  return store;
}
