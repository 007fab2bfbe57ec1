// The leases of the streams that this object serves: those of sockets in the sockets' attachments, those of exports and imports in
// memory. This object learns of the end of each stream, however its client left, and gives the lease back.

import { tooSlowCloseCode } from "#contract/error.ts";
import type { FeedDirectory, FeedTold } from "#core/feed-rpc.ts";
import { isAttended } from "#core/lease.ts";
import type { StreamLease } from "#core/lease.ts";
import type { Caller } from "#core/thread-rpc.ts";

import { leaseOf } from "./reader/subscribe.ts";

/** One per object. */
export class StreamLeases {
  readonly #state: DurableObjectState;
  readonly #feeds: FeedDirectory<FeedTold>;
  readonly #now: () => number;
  /** The leases of exports and imports under way. */
  readonly #open = new Set<string>();

  /** `now` is milliseconds. */
  constructor(state: DurableObjectState, feeds: FeedDirectory<FeedTold>, now: () => number) {
    this.#state = state;
    this.#feeds = feeds;
    this.#now = now;
  }

  /** The lease in a caller. */
  of({ lease, user }: Caller): StreamLease | null {
    if (lease === undefined) return null;
    const { id, bridged } = lease;
    return { id, owner: user, ...(bridged ? { bridged_at: this.#now() } : {}) };
  }

  /** Gives back the lease of a closed socket. It is read from the attachment, because a closed socket has no tags any more. */
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

  /** The ids whose stream is open. Closes bridged sockets whose Worker has sent no ping for too long. */
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

  /** Gives a lease back to the feed object that keeps it. If that object is not reached, it asks here when its bound is reached. */
  #giveBack({ id, owner }: StreamLease): void {
    this.#state.waitUntil(
      this.#feeds(owner)
        .giveBack(id, "stream")
        .catch(() => undefined),
    );
  }
}
