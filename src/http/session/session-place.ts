// Which thread a session is. A thread's own id is itself; any other name leads to an id made from the name and its owner, so
// that two owners' sessions of one name are two threads, and the thread says itself whose session of what name it is.

import { v4 as randomId } from "uuid";

import { encodeCursor } from "#contract/cursor.ts";
import { ThreadholdError } from "#contract/error.ts";
import { earlierSessionThreadId, sessionThreadId } from "#contract/session/session-thread-id.ts";
import type { Caller, SessionPlace } from "#core/thread-rpc.ts";
import { derivedUuidText, randomUuidText } from "#lib/uuid-text.ts";

import type { ThreadCalls } from "../thread/thread-calls.ts";

/** Where a session is, or will be. */
export interface FoundPlace {
  place: SessionPlace;
  /** False for an id that is made from a name, given in place of the name: whoever begins a session there would take it. */
  mayBegin: boolean;
}

/** The place of a session of the caller's; a new one where the client names none. */
export type FindPlace = (caller: Caller, name: string | null) => Promise<FoundPlace>;

/** Names that an isolate remembers to have no session of an earlier id. */
const rememberedNames = 10_000;

/** Behind every message of a session: the page from there on is short. */
const pastTheEnd = encodeCursor("~", "session");

/** Finds places. */
export function createFindPlace(calls: ThreadCalls): FindPlace {
  const withoutEarlier = new Set<string>();
  const isThere = async (caller: Caller, place: SessionPlace): Promise<boolean> => {
    try {
      const { thread_id: threadId } = place;
      await calls({ threadId, repeatable: true, run: (stub) => stub.readSession(caller, place, pastTheEnd) });
      return true;
    } catch (thrown) {
      if (thrown instanceof ThreadholdError && thrown.code === "thread_not_found") return false;
      throw thrown;
    }
  };
  return async (caller, name) => {
    const owner = caller.user;
    const session_id = name ?? randomId();
    const known = { session_id, derived: false, owner };
    const own = randomUuidText(session_id);
    if (own !== null) return { place: { ...known, thread_id: own }, mayBegin: true };
    const made = derivedUuidText(session_id);
    if (made !== null) return { place: { ...known, thread_id: made }, mayBegin: false };
    const place = { ...known, derived: true, thread_id: await sessionThreadId(owner, session_id) };
    if (withoutEarlier.has(place.thread_id)) return { place, mayBegin: true };
    const earlier = { ...place, thread_id: await earlierSessionThreadId(owner, session_id) };
    if ((await isThere(caller, earlier)) && !(await isThere(caller, place))) return { place: earlier, mayBegin: true };
    withoutEarlier.add(place.thread_id);
    if (withoutEarlier.size > rememberedNames) withoutEarlier.delete(withoutEarlier.values().next().value ?? "");
    return { place, mayBegin: true };
  };
}
