// The Durable Object of a feed, one for each owner of threads. It sends changes of the threads to the watchers and keeps the leases of the
// owner's streams and runs (decision 19: open streams and running threads are limited by leases), and the owner's sealed authorizations at
// other servers. Feed messages are not stored: a watcher that misses a message lists the threads again. Idle watchers cost nothing: their
// sockets hibernate, and the platform answers pings without waking the object.

import { DurableObject } from "cloudflare:workers";

import { errorBodySchema } from "#contract/error-body.ts";
import { httpStatus, tooSlowCloseCode } from "#contract/error.ts";
import type { FeedDraft, FeedMessage } from "#contract/feed.ts";
import { mostWatchers } from "#contract/stream-limits.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { AuthorizationCall } from "#core/rpc/authorization-call.ts";
import { leaseField, ownerField, watchEndField } from "#core/rpc/feed-rpc.ts";
import type { FeedDirectory, FeedRpc } from "#core/rpc/feed-rpc.ts";
import { isAttended, streamLeaseSchema } from "#core/rpc/lease.ts";
import type { HeldLeases, LeaseHolder, LeaseOutcome, LeaseRequest, StreamLease } from "#core/rpc/lease.ts";
import type { ThreadDirectory } from "#core/rpc/thread-rpc.ts";
import { UsedTickets } from "#core/rpc/used-tickets.ts";
import { withinTime } from "#lib/time-limit.ts";
import { parseOwnJson } from "#lib/untrusted/own-json.ts";

import { Leases } from "./leases.ts";
import { RunningThreads } from "./running-threads.ts";
import { Watcher } from "./watcher.ts";

/** Seconds after which a client may try to connect to a full feed again. */
const retryAfterSeconds = 5;

/** Key of the row that holds the leases. */
const leaseKey = "leases";

/** Milliseconds in which an object that holds leases must answer which of them it still uses. */
const holderTimeoutMs = 3000;

/** Dependencies of the feed object: the clock, and the other objects that it calls. */
export interface FeedDependencies {
  clock: Clock;
  threads: ThreadDirectory;
  feeds: FeedDirectory;
}

/** Creates the object's class for a deployment. Callers are authenticated already: only the Worker and threads have its binding. */
export function threadFeed<Env>(dependenciesOf: (env: Env) => FeedDependencies) {
  return class ThreadFeed extends DurableObject<Env> implements FeedRpc {
    readonly #tickets = new UsedTickets();
    readonly #running = new RunningThreads();
    readonly #dependencies: FeedDependencies;
    readonly #leases: Leases;

    constructor(state: DurableObjectState, env: Env) {
      super(state, env);
      this.#dependencies = dependenciesOf(env);
      const { kv } = state.storage;
      this.#leases = new Leases({
        now: () => this.#dependencies.clock.now(),
        row: { read: () => kv.get<string>(leaseKey), write: (text) => kv.put(leaseKey, text) },
        askHolder: (holder, ids) => this.#askHolder(holder, ids),
      });
      state.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    }

    async publish(owner: string | null, message: FeedMessage, admitted: readonly string[] = []): Promise<void> {
      const frame = JSON.stringify(message);
      this.#running.record(message, frame);
      // Threads without a user have no limit of runs, so they have no leases.
      if (owner !== null) this.#leases.recordThread(message, admitted);
      for (const socket of this.ctx.getWebSockets()) {
        const watcher = Watcher.of(socket);
        if (watcher !== null && watcher.owner === owner && !watcher.closeIfExpired(this.#dependencies.clock.now()))
          watcher.send(frame);
      }
    }

    async redeemTicket(nonce: string, expiresAt: number): Promise<boolean> {
      return this.#tickets.redeem(nonce, expiresAt, this.#dependencies.clock.now());
    }

    async authorization(call: AuthorizationCall): Promise<unknown> {
      const { AuthorizationRows } = await import("#core/rpc/authorization-rows.ts");
      return new AuthorizationRows(this.ctx.storage.kv, () => this.#dependencies.clock.now()).call(call);
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
      if (this.ctx.getWebSockets().length >= mostWatchers) return tooManyWatchers();
      const { searchParams } = new URL(upgrade.url);
      const owner = parseOwnJson(searchParams.get(ownerField) ?? "") as string | null;
      const [endsAt, leaseText] = [searchParams.get(watchEndField), searchParams.get(leaseField)];
      const now = this.#dependencies.clock.now() / 1000;
      const lease = leaseText === null ? null : streamLeaseOf(parseOwnJson(leaseText), now);
      const { 0: client, 1: server } = new WebSocketPair();
      this.ctx.acceptWebSocket(server, lease === null ? [] : [lease.id]);
      const watcher = Watcher.create(server, owner, { endsAt: endsAt === null ? null : Number(endsAt), lease });
      watcher.send(JSON.stringify({ type: "feed_start", user_id: owner } satisfies FeedDraft));
      for (const frame of this.#running.frames()) if (frame.length <= watcher.remainingWindow) watcher.send(frame);
      return new Response(null, { status: 101, webSocket: client });
    }

    override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
      if (typeof message === "string") Watcher.of(socket)?.receive(message);
    }

    override webSocketClose(socket: WebSocket): void {
      this.#giveBackOf(socket);
      // Completes the closing handshake. Without it the client waits and then reports a broken connection.
      socket.close(1000, "closed");
    }

    override webSocketError(socket: WebSocket): void {
      // The platform has already removed the socket from `getWebSockets`.
      this.#giveBackOf(socket);
    }

    #isHeld(socket: WebSocket): boolean {
      const lease = Watcher.of(socket)?.lease ?? null;
      const lastPing = this.ctx.getWebSocketAutoResponseTimestamp(socket);
      if (lease === null || isAttended(lease, lastPing, this.#dependencies.clock.now() / 1000)) return true;
      socket.close(tooSlowCloseCode, "too_slow");
      return false;
    }

    #giveBackOf(socket: WebSocket): void {
      const watcher = Watcher.of(socket);
      const lease = watcher?.lease ?? null;
      if (lease === null) return;
      // An administrator's lease is kept in the administrator's own feed object. If that object cannot be reached now, it asks about the
      // lease later, when the lease is overdue and the limit is reached.
      if (lease.owner === watcher?.owner) this.#leases.giveBack(lease.id, "stream");
      else
        this.ctx.waitUntil(
          this.#dependencies
            .feeds(lease.owner)
            .giveBack(lease.id, "stream")
            .catch(() => undefined),
        );
    }

    /** Asks an object that holds leases which of them it still uses. Rejects if it does not answer in time. */
    #askHolder(holder: LeaseHolder, ids: readonly string[]): Promise<HeldLeases> {
      const { clock, threads, feeds } = this.#dependencies;
      const asked = "thread" in holder ? threads(holder.thread).held(ids) : feeds(holder.feed).held(ids);
      return withinTime(asked, { timers: clock, milliseconds: holderTimeoutMs });
    }
  };
}

/**
 * Reads the lease in an upgrade request. If the stream is bridged (the Worker reads the socket and writes the client's response),
 * `bridged_at` becomes this object's time.
 */
function streamLeaseOf(value: unknown, now: number): StreamLease {
  const { id, owner, bridged_at } = streamLeaseSchema.parse(value);
  return { id, owner, ...(bridged_at === undefined ? {} : { bridged_at: now }) };
}

function tooManyWatchers(): Response {
  const message = `This feed has ${String(mostWatchers)} watchers already. Close one, or list the threads instead.`;
  const body = errorBodySchema.parse({ error: { code: "rate_limited", message } });
  const headers = { "retry-after": String(retryAfterSeconds) };
  return Response.json(body, { status: httpStatus("rate_limited"), headers });
}
