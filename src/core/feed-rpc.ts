// The RPC interface of the feed of one owner's threads. Threads send it their changes, the Worker connects watchers to it, and both
// take and give back the owner's leases there.

import type { FeedWord } from "#contract/feed.ts";

import type { HoldsLeases, KeepsLeases } from "./lease.ts";

export type { LeaseHolder, LeaseOutcome, LeaseRequest } from "./lease.ts";

/**
 * The methods of a feed's object. Contract: none waits for a watcher, and none but `take` writes a row.
 */
export interface FeedRpc extends KeepsLeases, HoldsLeases {
  /**
   * Sends a message to the feed's watchers. Watchers that came for another owner do not receive it. `admitted` are the leases of
   * inputs that the thread has admitted; from here on the thread's status alone decides whether it is at work.
   */
  tell(owner: string | null, word: FeedWord, admitted?: readonly string[]): Promise<void>;
  /** Uses up a stream's ticket, as a thread's object does. */
  redeemTicket(nonce: string, expiresAt: number): Promise<boolean>;
}

/** A feed as threads reach it. */
export type FeedTold = Pick<FeedRpc, "tell" | "giveBack">;

/** A feed as `http` reaches it. `fetch` takes the upgrade of `watchRequest`. */
export interface FeedStub extends FeedRpc {
  fetch(request: Request): Promise<Response>;
}

/** Gives a fresh stub of an owner's feed for every call; null owns the threads without a user. */
export type FeedDirectory<Stub = FeedStub> = (owner: string | null) => Stub;

/** The name of the owner's feed object. Different owners have different names, also an owner that is null. */
export function feedName(owner: string | null): string {
  // JSON escapes lone surrogates, which would become the same character when the name is encoded.
  return owner === null ? "nobody" : `user ${JSON.stringify(owner)}`;
}

/** Query field of the upgrade: the owner as JSON. The Worker builds this request itself. */
export const ownerField = "owner";

/** Query field of a watch: the expiry of the watcher's credentials, in microseconds since epoch. */
export const watchEndField = "ends_at";

/** Query field of the upgrade: the lease of the stream as JSON; absent where there is none. */
export const leaseField = "lease";
