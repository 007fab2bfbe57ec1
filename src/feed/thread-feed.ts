// The Durable Object of a feed, one for each owner of threads: tells whoever watches what becomes of the threads. It keeps nothing
// and writes nothing; a word that nobody hears is gone, and is cured by listing. Idle watchers cost nothing: their sockets
// hibernate, and pings are answered without waking it.

import { DurableObject } from "cloudflare:workers";

import { errorBodySchema, httpStatus } from "#contract/error.ts";
import type { FeedDraft, FeedWord } from "#contract/feed.ts";
import { mostWatchers } from "#contract/subscription.ts";
import { ownerField, watchEndField } from "#core/feed-rpc.ts";
import type { FeedRpc } from "#core/feed-rpc.ts";
import type { Clock } from "#core/ports/clock.ts";
import { UsedTickets } from "#core/used-tickets.ts";

import { AtWork } from "./at-work.ts";
import { Watcher } from "./watcher.ts";

/** Seconds after which a place may be free. */
const retryAfterSeconds = 5;

/** Makes the class of a deployment. Whoever reaches it was authenticated: only the Worker and threads have its binding. */
export function threadFeed<Env>(clock: Clock) {
  return class ThreadFeed extends DurableObject<Env> implements FeedRpc {
    readonly #tickets = new UsedTickets();
    readonly #atWork = new AtWork();

    constructor(state: DurableObjectState, env: Env) {
      super(state, env);
      state.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    }

    async tell(owner: string | null, word: FeedWord): Promise<void> {
      const frame = JSON.stringify(word);
      this.#atWork.hear(word, frame);
      for (const socket of this.ctx.getWebSockets()) {
        const watcher = Watcher.of(socket);
        if (watcher !== null && watcher.owner === owner && !watcher.endedAt(clock.now())) watcher.send(frame);
      }
    }

    async redeemTicket(nonce: string, expiresAt: number): Promise<boolean> {
      return this.#tickets.redeem(nonce, expiresAt, clock.now());
    }

    override async fetch(upgrade: Request): Promise<Response> {
      if (this.ctx.getWebSockets().length >= mostWatchers) return tooMany();
      const { searchParams } = new URL(upgrade.url);
      const owner = JSON.parse(searchParams.get(ownerField) ?? "") as string | null;
      const endsAt = searchParams.get(watchEndField);
      const { 0: client, 1: server } = new WebSocketPair();
      this.ctx.acceptWebSocket(server);
      const watcher = Watcher.begin(server, owner, endsAt === null ? undefined : Number(endsAt));
      watcher.send(JSON.stringify({ type: "feed_start", user_id: owner } satisfies FeedDraft));
      for (const frame of this.#atWork.frames()) if (frame.length <= watcher.room) watcher.send(frame);
      return new Response(null, { status: 101, webSocket: client });
    }

    override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
      if (typeof message === "string") Watcher.of(socket)?.heard(message);
    }

    override webSocketClose(socket: WebSocket): void {
      // Answers the other side's close; without it the client waits and then sees a broken connection.
      socket.close(1000, "closed");
    }

    override webSocketError(): void {
      // The socket is gone from the list by itself, and nothing else knows of it.
    }
  };
}

function tooMany(): Response {
  const message = `This feed has ${String(mostWatchers)} watchers already. Close one, or list the threads instead.`;
  const body = errorBodySchema.parse({ error: { code: "rate_limited", message } });
  const headers = { "retry-after": String(retryAfterSeconds) };
  return Response.json(body, { status: httpStatus("rate_limited"), headers });
}
