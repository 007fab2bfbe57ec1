// The leases of the streams that this object serves: the rights of users to open streams. The lease of a socket is in the socket's
// attachment; those of exports and imports are in memory. When a stream ends, for any reason, its lease is given back.

import { tooSlowCloseCode } from "#contract/error.ts";
import type { FeedDirectory, OwnerFeedRpc } from "#core/rpc/feed-rpc.ts";
import { isAttended } from "#core/rpc/lease.ts";
import type { StreamLease } from "#core/rpc/lease.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";

import { leaseOf } from "./method/subscribe.ts";

/** The stream leases of one object. */
export class StreamLeases {
  readonly #state: DurableObjectState;
  readonly #feeds: FeedDirectory<OwnerFeedRpc>;
  readonly #now: () => number;
  /** Ids of the leases of exports and imports in progress. */
  readonly #open = new Set<string>();

  /** `now` is milliseconds. */
  constructor(state: DurableObjectState, feeds: FeedDirectory<OwnerFeedRpc>, now: () => number) {
    this.#state = state;
    this.#feeds = feeds;
    this.#now = now;
  }

  /** The stream's lease, from the caller of the request; null if the caller has none. */
  of({ lease, user }: Caller): StreamLease | null {
    if (lease === undefined) return null;
    const { id, bridged } = lease;
    return { id, owner: user, ...(bridged ? { bridged_at: this.#now() } : {}) };
  }

  /**
   * Gives back the lease of a closed socket. The lease is read from the socket's attachment, because a closed socket has no tags any more.
   */
  left(socket: WebSocket): void {
    const lease = leaseOf(socket);
    if (lease !== undefined) this.#giveBack(lease);
  }

  /** Begins a stream without a socket. The returned function ends it; further calls do nothing. */
  begin(caller: Caller): () => void {
    const lease = this.of(caller);
    if (lease === null) return () => {};
    this.#open.add(lease.id);
    return () => {
      if (this.#open.delete(lease.id)) this.#giveBack(lease);
    };
  }

  /** Returns those of the ids whose stream is open. Closes bridged sockets whose Worker has sent no ping for too long. */
  held(ids: readonly string[]): string[] {
    return ids.filter((id) => this.#open.has(id) || this.#state.getWebSockets(id).some((one) => this.#isHeld(one)));
  }

  #isHeld(socket: WebSocket): boolean {
    const lease = leaseOf(socket);
    const lastPing = this.#state.getWebSocketAutoResponseTimestamp(socket);
    if (lease === undefined || isAttended(lease, lastPing, this.#now())) return true;
    socket.close(tooSlowCloseCode, "too_slow");
    return false;
  }

  /**
   * Gives a lease back to the feed object that counts it. If the feed object cannot be reached, it later requests the open leases from this
   * object, when the user's limit is reached.
   */
  #giveBack({ id, owner }: StreamLease): void {
    this.#state.waitUntil(
      this.#feeds(owner)
        .giveBack(id, "stream")
        .catch(() => undefined),
    );
  }
}
