// A feed's object in memory: takes watchers and remembers tickets, and is scripted by the test in everything it tells.

import type { FeedStub } from "#core/feed-rpc.ts";

import { FakeSubscriber } from "./fake-subscriber.ts";

export class FakeFeed implements FeedStub {
  readonly watchers: FakeSubscriber[] = [];
  /** Thrown by the next upgrades, one each. */
  readonly failures: Error[] = [];
  /** Given in place of a socket. */
  refusal: Response | null = null;
  readonly #nonces = new Set<string>();

  async tell(): Promise<void> {
    throw new Error("The Worker tells a feed nothing.");
  }

  async redeemTicket(nonce: string): Promise<boolean> {
    const fresh = !this.#nonces.has(nonce);
    this.#nonces.add(nonce);
    return fresh;
  }

  async fetch(request: Request): Promise<Response> {
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    if (this.refusal !== null) return this.refusal;
    const { 0: client, 1: server } = new WebSocketPair();
    const watcher = new FakeSubscriber(server, request, new URL(request.url));
    this.watchers.push(watcher);
    watcher.say('{"type":"feed_start","user_id":null,"seq":38}');
    return new Response(null, { status: 101, webSocket: client });
  }
}
