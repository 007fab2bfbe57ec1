// The catalog: an index over all threads, stored outside of their objects. It is a copy that may be out of date or unavailable; no
// thread waits for it (architecture §6). This file is its interface. D1 implements it, and tests have one in memory.

import type { Page } from "#contract/list-page.ts";
import type { Thread, ThreadStatus } from "#contract/thread.ts";

import type { RunTotal, UsageQuery, UsageTotals } from "./run-total.ts";

/**
 * The state of a thread, as its object reports it. Writes may arrive late and out of order. `version` increases with every change.
 * The creation time distinguishes the thread from a deleted one with the same id.
 */
export interface CatalogEntry {
  thread: Thread;
  /** Text of the last message, which `q` searches together with the title; null before the first message. */
  lastMessage: string | null;
  version: number;
  /** For an imported thread: when it was imported, which is later than `thread.created_at`. Microseconds. */
  since?: number | undefined;
}

/**
 * The time at which the thread was created in this deployment, in microseconds. It differs from the time of a deleted thread with the same
 * id.
 */
export function sinceOf({ thread, since }: Pick<CatalogEntry, "thread" | "since">): number {
  return since ?? thread.created_at;
}

/** Which threads to list. An absent field does not filter. */
export interface ThreadListQuery {
  /** Only threads of this user; null for those of all users. */
  userId: string | null;
  /** The current or the original agent. */
  agentId?: string | undefined;
  status?: ThreadStatus | undefined;
  /** Only threads with calls that wait for a client or a person. */
  waiting?: boolean | undefined;
  tag?: string | undefined;
  /** A part of the title or the last message, ignoring case. */
  q?: string | undefined;
  /** Only child threads of this thread. Without it, child threads are not listed. */
  parentId?: string | undefined;
  /** By the last activity; `newest` when absent. */
  order?: "newest" | "oldest" | undefined;
  limit: number;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** The deletion of a thread. */
export interface Removal {
  threadId: string;
  /** Creation time of the deleted thread. A later thread with the same id is not affected. */
  createdAt: number;
  /** Microseconds since the epoch. */
  now: number;
}

/** A request to create a thread with an `Idempotency-Key`. */
export interface CreationRequest {
  /** The user of the key; null for an administrator without a user id. */
  owner: string | null;
  key: string;
  fingerprint: string;
  threadId: string;
  /** Microseconds since the epoch. */
  now: number;
}

/** The reservation of the first request with the key. If its fingerprint differs from the caller's, the request is a conflict. */
export interface Reservation {
  threadId: string;
  fingerprint: string;
  /** Whether a thread with this id was deleted after the reservation. */
  removed: boolean;
}

/**
 * Contract: every write is idempotent and may be repeated. Methods reject only with `unavailable`, if the database cannot be reached
 * or does not respond in time (the error has the cause; a write may still take effect), with `invalid_request` for an invalid cursor,
 * and with `too_large` for an entry that exceeds a row.
 */
export interface Catalog {
  /** Stores an entry, unless a newer one is stored or the thread was deleted. */
  put(entry: CatalogEntry): Promise<void>;
  /** Adds the usage of runs that have ended to the reports. A run whose usage was added before is ignored. */
  addRunTotals(totals: readonly RunTotal[]): Promise<void>;
  /** `put` and `addRunTotals` in one write, for a run that has ended. */
  flush(entry: CatalogEntry, totals: readonly RunTotal[]): Promise<void>;
  /** Deletes a thread's entry; its totals stay. A late `put` of the thread is ignored. */
  remove(removal: Removal): Promise<void>;
  get(threadId: string): Promise<Thread | null>;
  /** One page, in the order of the query. */
  list(query: ThreadListQuery): Promise<Page<Thread>>;
  /** Usage of runs that have ended. Rejects with `invalid_request` if the report has more lines than `limit`. */
  usage(query: UsageQuery): Promise<UsageTotals>;
  /** Returns the first reservation of a key within 24 hours; creates one if there is none. */
  reserveCreation(request: CreationRequest): Promise<Reservation>;
  /** Whether a key of an owner was reserved within 24 hours. Writes nothing. */
  isReserved(request: Pick<CreationRequest, "owner" | "key" | "now">): Promise<boolean>;
}

/** Microseconds for which the key of a creation is stored. */
export const creationKept = 24 * 3600 * 1e6;

/** Microseconds for which a deletion is stored. No late write of the thread arrives after that time. */
export const removalKept = 7 * 24 * 3600 * 1e6;
