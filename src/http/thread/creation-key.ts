// Handles the `Idempotency-Key` of a request that creates a thread. The catalog (the deployment's index of all threads) stores the key for
// a day, because the thread does not exist yet.

import { refuse } from "#contract/error.ts";
import type { Caller, RequestKey } from "#core/rpc/thread-rpc.ts";

import { fingerprint } from "../input/request-key.ts";
import type { Services } from "../services.ts";

/** A thread that is about to be created. */
export interface Creation {
  caller: Caller;
  key: RequestKey | null;
  /** The id for the new thread. It is ignored if the key was used before. */
  id: string;
}

/** The id under which the thread is created. */
export interface ReservedCreation {
  id: string;
  /** A value that is equal for repeated requests with the key; absent without a key. */
  creation?: string;
}

/**
 * Reserves the id of a new thread. A key that was used before returns the id of its first use. With an equal `creation`, the object
 * returns that thread again; any other attempt to create a thread with an existing id is refused. A deleted thread is not created
 * again.
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
