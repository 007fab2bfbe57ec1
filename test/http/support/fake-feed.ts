// A feed's object in memory: it accepts watchers, records tickets and keeps leases as the real one does, and the test scripts its messages.

import type { AuthorizationCall } from "#core/rpc/authorization-call.ts";
import { AuthorizationRows } from "#core/rpc/authorization-rows.ts";
import { leaseField } from "#core/rpc/feed-rpc.ts";
import type { FeedStub } from "#core/rpc/feed-rpc.ts";
import { streamLeaseSchema } from "#core/rpc/lease.ts";
import type { HeldLeases, LeaseHolder, LeaseOutcome, LeaseRequest } from "#core/rpc/lease.ts";
import { Leases } from "#feed/leases.ts";

import { memoryKeys } from "../../support/memory-store/memory-keys.ts";
import { FakeSubscriber } from "./fake-subscriber.ts";

export class FakeFeed implements FeedStub {
  readonly watchers: FakeSubscriber[] = [];
  /** Errors that the next upgrades throw, one each. */
  readonly failures: Error[] = [];
  /** The response in place of a socket. */
  refusal: Response | null = null;
  /** The requests for leases, in order. */
  readonly taken: LeaseRequest[] = [];
  /** Errors that the next requests for leases throw, one each. */
  readonly leaseFailures: Error[] = [];
  /** The number of rows that were written for leases. */
  rows = 0;
  readonly leases: Leases;
  readonly authorizations: AuthorizationRows;
  readonly #open = new Set<string>();
  readonly #waiting: ((part: "stream" | "all") => void)[] = [];
  readonly #nonces = new Set<string>();

  constructor(now: () => number, askHolder: (holder: LeaseHolder, ids: readonly string[]) => Promise<HeldLeases>) {
    let row: string | undefined;
    const write = (text: string): void => {
      row = text;
      this.rows += 1;
    };
    this.authorizations = new AuthorizationRows(memoryKeys(), now);
    this.leases = new Leases({ now, row: { read: () => row, write }, askHolder });
  }

  async authorization(call: AuthorizationCall): Promise<unknown> {
    return this.authorizations.call(call);
  }

  async take(request: LeaseRequest): Promise<LeaseOutcome> {
    this.taken.push(request);
    const failure = this.leaseFailures.shift();
    if (failure !== undefined) throw failure;
    return this.leases.take(request);
  }

  async giveBack(id: string, part: "stream" | "all"): Promise<void> {
    this.leases.giveBack(id, part);
    for (const resolve of this.#waiting.splice(0)) resolve(part);
  }

  /** Resolves when the next lease is returned. */
  nextReturn(): Promise<"stream" | "all"> {
    const { promise, resolve } = Promise.withResolvers<"stream" | "all">();
    this.#waiting.push(resolve);
    return promise;
  }

  async held(ids: readonly string[]): Promise<HeldLeases> {
    return { streams: ids.filter((id) => this.#open.has(id)), working: false };
  }

  async publish(): Promise<void> {
    throw new Error("The Worker publishes nothing to a feed.");
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
    const lease = new URL(request.url).searchParams.get(leaseField);
    if (lease !== null) {
      const { id } = streamLeaseSchema.parse(JSON.parse(lease));
      this.#open.add(id);
      void watcher.left().then(() => {
        this.#open.delete(id);
        void this.giveBack(id, "stream");
      });
    }
    watcher.say('{"type":"feed_start","user_id":null,"seq":38}');
    return new Response(null, { status: 101, webSocket: client });
  }
}
