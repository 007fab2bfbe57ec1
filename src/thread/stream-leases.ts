// The leases of the streams that this object serves: of sockets in their attachments, of exports and imports in memory. The end of a
// stream is known here for certain, however its client went, so it is here that its lease is given back.

import { tooSlowCloseCode } from "#contract/error.ts";
import type { FeedDirectory, FeedTold } from "#core/feed-rpc.ts";
import { isAttended } from "#core/lease.ts";
import type { StreamLease } from "#core/lease.ts";
import type { Caller } from "#core/thread-rpc.ts";

import { cursorSchema } from "./reader/subscription.ts";

/** One per object. */
export class StreamLeases {
  readonly #state: DurableObjectState;
  readonly #feeds: FeedDirectory<FeedTold>;
  readonly #now: () => number;
  /** Of exports and imports that are under way. */
  readonly #open = new Set<string>();

  /** `now` is milliseconds. */
  constructor(state: DurableObjectState, feeds: FeedDirectory<FeedTold>, now: () => number) {
    this.#state = state;
    this.#feeds = feeds;
    this.#now = now;
  }

  /** The lease under which a caller comes. */
  of({ lease, user }: Caller): StreamLease | null {
    if (lease === undefined) return null;
    const { id, bridged } = lease;
    return { id, owner: user, ...(bridged ? { bridged_at: this.#now() } : {}) };
  }

  /** Gives back the lease of a socket that is gone. Its tags are gone as well; its attachment is not. */
  left(socket: WebSocket): void {
    const cursor = cursorSchema.safeParse(socket.deserializeAttachment());
    if (cursor.data?.lease !== undefined) this.#giveBack(cursor.data.lease);
  }

  /** Begins a stream without a socket. The function ends it; calling it again does nothing. */
  begin(caller: Caller): () => void {
    const lease = this.of(caller);
    if (lease === null) return () => {};
    this.#open.add(lease.id);
    return () => {
      if (this.#open.delete(lease.id)) this.#giveBack(lease);
    };
  }

  /** Those of the ids whose stream is open. Lets sockets go that no client attends any more. */
  held(ids: readonly string[]): string[] {
    return ids.filter((id) => this.#open.has(id) || this.#state.getWebSockets(id).some((one) => this.#isHeld(one)));
  }

  #isHeld(socket: WebSocket): boolean {
    const { lease } = cursorSchema.safeParse(socket.deserializeAttachment()).data ?? {};
    const lastPing = this.#state.getWebSocketAutoResponseTimestamp(socket);
    if (lease === undefined || isAttended(lease, lastPing, this.#now())) return true;
    socket.close(tooSlowCloseCode, "too_slow");
    return false;
  }

  /** A keeper that is not reached asks when it needs the place. */
  #giveBack({ id, owner }: StreamLease): void {
    this.#state.waitUntil(
      this.#feeds(owner)
        .giveBack(id, "stream")
        .catch(() => undefined),
    );
  }
}
