// Finds the thread of a session. The id of a thread is the thread itself. Any other name gives an id made from the name and its
// owner, so sessions of the same name are different threads for different owners. The thread stores its owner and its session's
// name.

import { v4 as randomId } from "uuid";

import { encodeCursor } from "#contract/cursor.ts";
import { ThreadholdError } from "#contract/error.ts";
import { earlierSessionThreadId, sessionThreadId } from "#contract/session/session-thread-id.ts";
import type { Caller, SessionPlace } from "#core/thread-rpc.ts";
import { derivedUuidText, randomUuidText } from "#lib/uuid-text.ts";

import type { ThreadCalls } from "../thread/thread-calls.ts";

/** The thread of a session, whether or not it exists yet. */
interface FoundPlace {
  place: SessionPlace;
  /** False if the client gave an id of the form that is made from names: a new session there would occupy another session's id. */
  mayBegin: boolean;
}

/** Finds the thread of the caller's session; a new one if the client names none. */
export type FindPlace = (caller: Caller, name: string | null) => Promise<FoundPlace>;

/** The number of names without a session under an earlier id that an isolate remembers. */
const rememberedNames = 10_000;

/** A cursor after every message of a session, so that the page read there is empty. */
const pastTheEnd = encodeCursor("~", "session");

/** Makes the function that finds threads of sessions. */
export function createFindPlace(calls: ThreadCalls): FindPlace {
  const withoutEarlier = new Set<string>();
  const isThere = async (caller: Caller, place: SessionPlace): Promise<boolean> => {
    try {
      const { thread_id: threadId } = place;
      await calls({ threadId, repeatable: true, run: (stub) => stub.call("readSession", caller, place, pastTheEnd) });
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
