// Finds the thread of a session. A name that is the id of a thread refers to that thread. For any other name, the thread's id is derived
// from the name and its owner, so sessions of the same name are different threads for different owners. The thread stores its owner and the
// session's name.

import { v4 as randomId } from "uuid";

import { encodeCursor } from "#contract/cursor.ts";
import { refuse, ThreadholdError } from "#contract/error.ts";
import { earlierNamedThreadId, namedThreadId } from "#contract/named-thread-id.ts";
import type { Caller, TranscriptPage } from "#core/rpc/thread-rpc.ts";
import type { CallThread } from "#http/thread/call-thread.ts";
import { derivedUuidText, randomUuidText } from "#lib/uuid-text.ts";

/** The thread of a session, which may not exist yet. */
export interface SessionThread {
  threadId: string;
  /** The session's name in the client. */
  name: string;
  /**
   * Whether the id is derived from name and owner. The thread then has to be this owner's session of this name, even if
   * others may access it.
   */
  derived: boolean;
  owner: string | null;
}

/** Finds the thread of the caller's session; a new one if the client names none. */
type FindThread = (
  caller: Caller,
  name: string | null,
) => Promise<{
  session: SessionThread;
  /** False if the client gave an id of the form that is derived from names: a new session there would occupy another session's id. */
  mayBegin: boolean;
}>;

/**
 * The maximum size of an isolate's cache of names. The cached names have no session under the id that older versions derived from a name.
 */
const rememberedNames = 10_000;

/** A cursor after every message of a conversation, so that the page read there is empty. */
export const pastTheEnd = encodeCursor("~", "transcript");

/**
 * Reads a page of the session. Throws `thread_not_found` if the thread's id is derived from the session's name and owner, but the thread
 * has another name or owner.
 */
export async function readSession(
  calls: CallThread,
  { caller, session, cursor }: { caller: Caller; session: SessionThread; cursor: string | null },
): Promise<TranscriptPage> {
  const { threadId, name, derived, owner } = session;
  const page = await calls({
    threadId,
    repeatable: true,
    run: (stub) => stub.call("readTranscript", caller, cursor),
  });
  if (!derived || (page.name === name && page.thread.user_id === owner)) return page;
  throw refuse("thread_not_found", "There is no such thread.");
}

/** Whether the session exists for the caller. */
export async function sessionExists(calls: CallThread, caller: Caller, session: SessionThread): Promise<boolean> {
  try {
    await readSession(calls, { caller, session, cursor: pastTheEnd });
    return true;
  } catch (thrown) {
    if (thrown instanceof ThreadholdError && thrown.code === "thread_not_found") return false;
    throw thrown;
  }
}

/** Makes the function that finds threads of sessions. */
export function createFindThread(calls: CallThread): FindThread {
  const withoutEarlier = new Set<string>();
  return async (caller, given) => {
    const owner = caller.user;
    const name = given ?? randomId();
    const known = { name, derived: false, owner };
    const chosen = randomUuidText(name);
    if (chosen !== null) return { session: { ...known, threadId: chosen }, mayBegin: true };
    const ofName = derivedUuidText(name);
    if (ofName !== null) return { session: { ...known, threadId: ofName }, mayBegin: false };
    const session = { ...known, derived: true, threadId: await namedThreadId(owner, name) };
    if (withoutEarlier.has(session.threadId)) return { session, mayBegin: true };
    const earlier = { ...session, threadId: await earlierNamedThreadId(owner, name) };
    if ((await sessionExists(calls, caller, earlier)) && !(await sessionExists(calls, caller, session))) {
      return { session: earlier, mayBegin: true };
    }
    withoutEarlier.add(session.threadId);
    if (withoutEarlier.size > rememberedNames) withoutEarlier.delete(withoutEarlier.values().next().value ?? "");
    return { session, mayBegin: true };
  };
}
