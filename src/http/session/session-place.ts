// Which thread a session is. A thread's own id is itself; any other name leads to an id made from the name and its owner, so
// that two owners' sessions of one name are two threads, and the thread says itself whose session of what name it is.

import { v4 as randomId } from "uuid";

import type { Caller, SessionPlace } from "#core/thread-rpc.ts";
import { sha256 } from "#lib/sha256.ts";
import { randomUuidText } from "#lib/uuid-text.ts";

/** The place of a session of the caller's; a new one where the client names none. */
export async function sessionPlace(caller: Caller, name: string | null): Promise<SessionPlace> {
  const owner = caller.user;
  const session_id = name ?? randomId();
  const own = randomUuidText(session_id);
  if (own !== null) return { session_id, thread_id: own, derived: false, owner };
  return { session_id, thread_id: await derivedId(owner, session_id), derived: true, owner };
}

/** A version 4 UUID in which 122 bits are of the digest. JSON keeps owner and name apart, and nobody from a user. */
async function derivedId(owner: string | null, name: string): Promise<string> {
  const bytes = (await sha256(JSON.stringify(["session", owner, name]))).slice(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
