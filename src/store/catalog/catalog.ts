// The catalog: what can be asked across threads, kept outside of their objects. It is a copy that may lag and can be lost
// for a while; no thread waits for it (architecture §6). This is its port; D1 keeps it, and a twin in memory for tests.

import type { Page } from "#contract/page.ts";
import type { Thread, ThreadStatus } from "#contract/thread.ts";

import type { RunTotal, UsageQuery, UsageTotals } from "./run-total.ts";

/**
 * A thread as its object tells it. Writes may arrive late and out of order: `version` rises with every change of the
 * thread, and when it came to be tells a thread from a deleted one that had the same id.
 */
export interface CatalogEntry {
  thread: Thread;
  /** Searched with the title; null before the first message. */
  lastMessage: string | null;
  version: number;
  /** When it came to be in this deployment, where that is later than `thread.created_at`: it was imported. */
  since?: number | undefined;
}

/** What tells it from an earlier thread of the same id. Microseconds. */
export function sinceOf({ thread, since }: Pick<CatalogEntry, "thread" | "since">): number {
  return since ?? thread.created_at;
}

/** Which threads a list shows; what is left out does not narrow it. */
export interface ThreadListQuery {
  /** Only this user's threads; null shows everybody's. */
  userId: string | null;
  /** The present or the original agent. */
  agentId?: string | undefined;
  status?: ThreadStatus | undefined;
  tag?: string | undefined;
  /** Part of the title or of the last message, in any letter case. */
  q?: string | undefined;
  /** Child threads of this one. Without it no child thread is listed. */
  parentId?: string | undefined;
  limit: number;
  /** `next_cursor` of the page before. */
  cursor?: string | undefined;
}

/** A thread that is gone. */
export interface Removal {
  threadId: string;
  /** When the thread that was deleted came to be; one made later under the same id is another thread. */
  createdAt: number;
  /** Microseconds since epoch. */
  now: number;
}

/** A request to create a thread under an `Idempotency-Key`. */
export interface CreationRequest {
  /** Whose key it is; null for an admin that stands for nobody. */
  owner: string | null;
  key: string;
  fingerprint: string;
  threadId: string;
  /** Microseconds since epoch. */
  now: number;
}

/** What the first request with the key reserved. Another fingerprint than the caller's is a conflict. */
export interface Reservation {
  threadId: string;
  fingerprint: string;
  /** A thread of this id was removed after the reservation. */
  removed: boolean;
}

/**
 * Contract: every write is idempotent and may be repeated. Methods reject only with `unavailable`, if the database cannot be reached
 * or does not answer in time (the error has the cause; a write may still take effect), with `invalid_request` for a broken cursor,
 * and with `too_large` for an entry that exceeds a row.
 */
export interface Catalog {
  /** Stores an entry, unless a newer one is there or the thread was removed. */
  put(entry: CatalogEntry): Promise<void>;
  /** Counts runs that ended; a run that was counted is not counted again. */
  addRunTotals(totals: readonly RunTotal[]): Promise<void>;
  /** `put` and `addRunTotals` together: what a run that ended writes. */
  flush(entry: CatalogEntry, totals: readonly RunTotal[]): Promise<void>;
  /** Forgets a thread; its totals stay. A `put` of it that comes later changes nothing. */
  remove(removal: Removal): Promise<void>;
  get(threadId: string): Promise<Thread | null>;
  /** Newest activity first. */
  list(query: ThreadListQuery): Promise<Page<Thread>>;
  /** What ended runs used; `invalid_request` for more lines than asked for. */
  usage(query: UsageQuery): Promise<UsageTotals>;
  /** The first reservation of a key within 24 hours, which is this one if there is none. */
  reserveCreation(request: CreationRequest): Promise<Reservation>;
}

/** Microseconds a creation's key is kept. */
export const creationKept = 24 * 3600 * 1e6;

/** Microseconds the removal of a thread is remembered: longer than any write of it can be on its way. */
export const removalKept = 7 * 24 * 3600 * 1e6;
