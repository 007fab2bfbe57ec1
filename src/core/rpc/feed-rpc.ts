// The RPC interface of a feed: one object for each owner of threads. Threads send their changes to it, clients subscribe to it through the
// Worker (watchers), and it counts the owner's leases, which are rights to one open stream or one running thread (`lease.ts`).

import type { FeedMessage } from "#contract/feed.ts";

import type { AuthorizationCall } from "./authorization-call.ts";
import type { HoldsLeases, KeepsLeases } from "./lease.ts";

export type { LeaseHolder, LeaseOutcome, LeaseRequest } from "./lease.ts";

/** The methods of a feed's object. Contract: no method waits for a watcher, and only `take` and `authorization` write rows. */
export interface FeedRpc extends KeepsLeases, HoldsLeases {
  /**
   * Sends a message to the feed's watchers that subscribed as `owner`. `admitted` are the leases of inputs that the thread has admitted:
   * from now on the thread's status alone decides whether it counts as running.
   */
  publish(owner: string | null, message: FeedMessage, admitted?: readonly string[]): Promise<void>;
  /** Marks a ticket as used. Returns true for the first use, as `ThreadRpc.redeemTicket` does. */
  redeemTicket(nonce: string, expiresAt: number): Promise<boolean>;
  /** Calls a method of the store of the owner's authorizations, such as the tokens for MCP servers. */
  authorization(call: AuthorizationCall): Promise<unknown>;
}

/** The methods of a feed that threads call. */
export type OwnerFeedRpc = Pick<FeedRpc, "publish" | "giveBack" | "authorization">;

/** A feed's object for the Worker. `fetch` accepts the upgrade request of a watcher. */
export interface FeedStub extends FeedRpc {
  fetch(request: Request): Promise<Response>;
}

/** Returns a new stub of an owner's feed for every call. The owner null is that of the threads without a user. */
export type FeedDirectory<Stub = FeedStub> = (owner: string | null) => Stub;

/** The name of the owner's feed object. Different owners have different names; null is an owner too. */
export function feedName(owner: string | null): string {
  // JSON escapes lone surrogates, which would become the same character when the name is encoded.
  return owner === null ? "nobody" : `user ${JSON.stringify(owner)}`;
}

/** Query field of a watcher's upgrade request: the owner as JSON. The Worker builds this request itself. */
export const ownerField = "owner";

/** Query field of a watcher's upgrade request: the expiry of the watcher's credentials, in microseconds since epoch. */
export const watchEndField = "ends_at";

/** Query field of a watcher's upgrade request: the lease as JSON, which is the user's right to open the stream; absent if there is none. */
export const leaseField = "lease";
