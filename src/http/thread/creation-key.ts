// The `Idempotency-Key` of a request that makes a thread. The catalog remembers it for a day, since there is no thread yet.

import { refuse } from "#contract/error.ts";
import type { Caller, RequestKey } from "#core/thread-rpc.ts";

import { fingerprint } from "../input/request-key.ts";
import type { Services } from "../services.ts";

/** A thread that is about to be made. */
export interface Creation {
  caller: Caller;
  key: RequestKey | null;
  /** The id it is to have, unless the key gave another one before. */
  id: string;
}

/** What it is made as. */
export interface ReservedCreation {
  id: string;
  /** What equal requests have in common; absent without a key. */
  creation?: string;
}

/**
 * The id of the thread to be. A key that was used before leads to the id of then; `creation` makes the object give that
 * thread again, and makes it refuse every other attempt at an id in use. A thread that was deleted is not made again.
 */
export async function reserveCreation(
  { dependencies: { catalog, now } }: Services,
  { caller, key, id }: Creation,
): Promise<ReservedCreation> {
  if (key === null) return { id };
  const wanted = { owner: caller.user, key: key.key, fingerprint: key.fingerprint, threadId: id, now: now() };
  const reserved = await catalog.reserveCreation(wanted);
  if (reserved.fingerprint !== key.fingerprint) {
    throw refuse("conflict", "This Idempotency-Key was used with another body.");
  }
  if (reserved.removed) {
    throw refuse("conflict", "The thread that this Idempotency-Key made was deleted.", {
      thread_id: reserved.threadId,
    });
  }
  return { id: reserved.threadId, creation: await fingerprint("creation", [caller.user, key.key, key.fingerprint]) };
}
