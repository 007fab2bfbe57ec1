// The Durable Object of a feed, one for each owner of threads. It sends changes of the threads to the watchers and keeps the leases
// of the owner's streams and runs (decision record 19). Feed messages are not stored: a watcher that misses one lists the threads
// again. Idle watchers cost nothing: their sockets hibernate, and the platform answers pings without waking the object.

import { DurableObject } from "cloudflare:workers";

import { errorBodySchema, httpStatus, tooSlowCloseCode } from "#contract/error.ts";
import type { FeedDraft, FeedWord } from "#contract/feed.ts";
import { mostWatchers } from "#contract/subscription.ts";
import { leaseField, ownerField, watchEndField } from "#core/feed-rpc.ts";
import type { FeedDirectory, FeedRpc } from "#core/feed-rpc.ts";
import { isAttended, streamLeaseSchema } from "#core/lease.ts";
import type { HeldLeases, LeaseHolder, LeaseOutcome, LeaseRequest, StreamLease } from "#core/lease.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { ThreadDirectory } from "#core/thread-rpc.ts";
import { UsedTickets } from "#core/used-tickets.ts";

import { AtWork } from "./at-work.ts";
import { Leases } from "./leases.ts";
import { Watcher } from "./watcher.ts";

/** Seconds after which a place may be free. */
const retryAfterSeconds = 5;

/** Key of the row that holds the leases. */
const leaseKey = "leases";

/** Milliseconds within which a holder of leases has to answer. */
const answerMs = 3000;

/** The clock and the objects that a feed's object uses. */
export interface FeedWorld {
  clock: Clock;
  threads: ThreadDirectory;
  feeds: FeedDirectory;
}

/** Makes the class of a deployment. Whoever reaches it was authenticated: only the Worker and threads have its binding. */
export function threadFeed<Env>(worldOf: (env: Env) => FeedWorld) {
  return class ThreadFeed extends DurableObject<Env> implements FeedRpc {
    readonly #tickets = new UsedTickets();
    readonly #atWork = new AtWork();
    readonly #world: FeedWorld;
    readonly #leases: Leases;

    constructor(state: DurableObjectState, env: Env) {
      super(state, env);
      this.#world = worldOf(env);
      const { kv } = state.storage;
      this.#leases = new Leases({
        now: () => this.#world.clock.now(),
        row: { read: () => kv.get<string>(leaseKey), write: (text) => kv.put(leaseKey, text) },
        held: (holder, ids) => this.#ask(holder, ids),
      });
      state.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    }

    async tell(owner: string | null, word: FeedWord, admitted: readonly string[] = []): Promise<void> {
      const frame = JSON.stringify(word);
      this.#atWork.hear(word, frame);
      // Threads without a user have no bound, so there are no leases of their runs.
      if (owner !== null) this.#leases.told(word, admitted);
      for (const socket of this.ctx.getWebSockets()) {
        const watcher = Watcher.of(socket);
        if (watcher !== null && watcher.owner === owner && !watcher.endedAt(this.#world.clock.now()))
          watcher.send(frame);
      }
    }

    async redeemTicket(nonce: string, expiresAt: number): Promise<boolean> {
      return this.#tickets.redeem(nonce, expiresAt, this.#world.clock.now());
    }

    async take(request: LeaseRequest): Promise<LeaseOutcome> {
      return this.#leases.take(request);
    }

    async giveBack(id: string, part: "stream" | "all"): Promise<void> {
      this.#leases.giveBack(id, part);
    }

    async held(ids: readonly string[]): Promise<HeldLeases> {
      return {
        streams: ids.filter((id) => this.ctx.getWebSockets(id).some((one) => this.#isHeld(one))),
        working: false,
      };
    }

    override async fetch(upgrade: Request): Promise<Response> {
      if (this.ctx.getWebSockets().length >= mostWatchers) return tooMany();
      const { searchParams } = new URL(upgrade.url);
      const owner = JSON.parse(searchParams.get(ownerField) ?? "") as string | null;
      const [endsAt, given] = [searchParams.get(watchEndField), searchParams.get(leaseField)];
      const at = this.#world.clock.now() / 1000;
      const lease = given === null ? null : streamLeaseOf(JSON.parse(given), at);
      const { 0: client, 1: server } = new WebSocketPair();
      this.ctx.acceptWebSocket(server, lease === null ? [] : [lease.id]);
      const watcher = Watcher.begin(server, owner, { endsAt: endsAt === null ? null : Number(endsAt), lease });
      watcher.send(JSON.stringify({ type: "feed_start", user_id: owner } satisfies FeedDraft));
      for (const frame of this.#atWork.frames()) if (frame.length <= watcher.room) watcher.send(frame);
      return new Response(null, { status: 101, webSocket: client });
    }

    override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
      if (typeof message === "string") Watcher.of(socket)?.heard(message);
    }

    override webSocketClose(socket: WebSocket): void {
      this.#giveBackOf(socket);
      // Answers the other side's close; without it the client waits and then sees a broken connection.
      socket.close(1000, "closed");
    }

    override webSocketError(socket: WebSocket): void {
      // The platform has removed the socket from the list already.
      this.#giveBackOf(socket);
    }

    #isHeld(socket: WebSocket): boolean {
      const lease = Watcher.of(socket)?.lease ?? null;
      const lastPing = this.ctx.getWebSocketAutoResponseTimestamp(socket);
      if (lease === null || isAttended(lease, lastPing, this.#world.clock.now() / 1000)) return true;
      socket.close(tooSlowCloseCode, "too_slow");
      return false;
    }

    #giveBackOf(socket: WebSocket): void {
      const watcher = Watcher.of(socket);
      const lease = watcher?.lease ?? null;
      if (lease === null) return;
      // The lease of an administrator who watches this feed is kept in another object. If that object cannot be reached, it asks for
      // overdue leases when its bound is reached.
      if (lease.owner === watcher?.owner) this.#leases.giveBack(lease.id, "stream");
      else
        this.ctx.waitUntil(
          this.#world
            .feeds(lease.owner)
            .giveBack(lease.id, "stream")
            .catch(() => undefined),
        );
    }

    /** Asks a holder of leases. Rejects if it does not answer in time. */
    #ask(holder: LeaseHolder, ids: readonly string[]): Promise<HeldLeases> {
      const { clock, threads, feeds } = this.#world;
      const asked = "thread" in holder ? threads(holder.thread).held(ids) : feeds(holder.feed).held(ids);
      const late = Promise.withResolvers<never>();
      const callOff = clock.after(answerMs, () =>
        late.reject(new Error("The holder of a lease did not answer in time.")),
      );
      return Promise.race([asked, late.promise]).finally(callOff);
    }
  };
}

/** The lease in an upgrade request, with this object's time for a bridged socket. */
function streamLeaseOf(given: unknown, at: number): StreamLease {
  const { id, owner, bridged_at } = streamLeaseSchema.parse(given);
  return { id, owner, ...(bridged_at === undefined ? {} : { bridged_at: at }) };
}

function tooMany(): Response {
  const message = `This feed has ${String(mostWatchers)} watchers already. Close one, or list the threads instead.`;
  const body = errorBodySchema.parse({ error: { code: "rate_limited", message } });
  const headers = { "retry-after": String(retryAfterSeconds) };
  return Response.json(body, { status: httpStatus("rate_limited"), headers });
}
