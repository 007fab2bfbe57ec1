// The Durable Object of a thread: lifecycle and wiring. RPC enters by `call`, requests with a socket or a body by `fetch`. An object
// whose thread was never created answers `thread_not_found` and writes nothing. Everything that is not called from outside is
// #private: on Workers a TypeScript `private` method can be called over RPC.

import { DurableObject } from "cloudflare:workers";

import { refuse } from "#contract/error.ts";
import type { HeldLeases, HoldsLeases } from "#core/lease.ts";
import type { ThreadRecord } from "#core/record.ts";
import type { Answer, Caller, ThreadRpc } from "#core/thread-rpc.ts";
import { UsedTickets } from "#core/used-tickets.ts";
import { discardBody } from "#lib/discard-body.ts";
import { causeOf } from "#lib/log-port.ts";
import { meterStorage } from "#store/meter.ts";
import type { MeterReading, MeteredStorage } from "#store/meter.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";
import { createSqliteThreadStore } from "#store/thread/sqlite-thread-store.ts";

import { Alarm, longestHeartbeatMs } from "./alarm.ts";
import { answered, refusalResponse } from "./answered.ts";
import { Importer } from "./archive/importer.ts";
import type { CreateContext } from "./method/create-thread.ts";
import { serveInternal } from "./method/internal-request.ts";
import { removeThread } from "./method/thread-changes.ts";
import { isRestOver, openThread } from "./open-thread.ts";
import type { OpenThread } from "./open-thread.ts";
import { OwnerFeed } from "./owner-feed.ts";
import { acknowledge } from "./reader/subscribe.ts";
import { StreamLeases } from "./stream-leases.ts";
import { runMethod } from "./thread-methods.ts";
import type { World } from "./world.ts";

/** Makes the class of a deployment from its world: definitions, models, catalog, settings. */
export function threadObject<Env>(worldOf: (env: Env, state: DurableObjectState) => World) {
  return class ThreadObject extends DurableObject<Env> implements HoldsLeases, Pick<ThreadRpc, "redeemTicket"> {
    readonly #world: World;
    readonly #storage: MeteredStorage;
    readonly #store: ManagedThreadStore;
    readonly #tickets = new UsedTickets();
    readonly #importer: Importer;
    readonly #ownerFeed: OwnerFeed;
    readonly #leases: StreamLeases;
    #alarm: Alarm;
    #open: OpenThread | null = null;
    #creating: Promise<unknown> = Promise.resolve();
    #removing: Promise<void> | null = null;

    constructor(state: DurableObjectState, env: Env) {
      super(state, env);
      this.#world = worldOf(env, state);
      this.#storage = meterStorage(state.storage);
      this.#store = createSqliteThreadStore(this.#storage, this.#world.faults);
      this.#alarm = this.#armed(null);
      this.#ownerFeed = new OwnerFeed(this.#world.feeds, (work) => state.waitUntil(work));
      this.#leases = new StreamLeases(state, this.#world.feeds, () => this.#world.clock.now() / 1000);
      this.#importer = new Importer({
        storage: this.#storage,
        store: this.#store,
        world: this.#world,
        alarm: () => this.#alarm,
        open: (record) => this.#openAs(record),
        loaded: () => this.#load(),
        settled: () => this.#creating,
        forget: () => this.#close(),
      });
      state.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
      void state.blockConcurrencyWhile(async () => {
        if (!this.#store.exists()) return;
        this.#store.migrate();
        this.#alarm = this.#armed(await state.storage.getAlarm());
      });
    }

    /** Calls one of the thread's methods (`thread-methods.ts`) by its name. Never rejects: a refusal is a value. */
    async call(method: string, caller: Caller, ...input: unknown[]): Promise<Answer<unknown>> {
      return this.#answer(() =>
        runMethod(
          method,
          {
            caller,
            thread: () => this.#owned(caller),
            create: (work) => this.#make(work),
            remove: (byParent) => this.#remove(this.#owned(caller), byParent),
          },
          input,
        ),
      );
    }

    async held(ids: readonly string[]): Promise<HeldLeases> {
      const record = this.#open?.context.live.record ?? this.#store.readThread();
      const working = record !== null && record.active_run_id !== null && record.status === "running";
      return { streams: this.#leases.held(ids), working };
    }

    /** True once for each ticket; see `UsedTickets`. */
    async redeemTicket(nonce: string, expiresAt: number): Promise<boolean> {
      return this.#tickets.redeem(nonce, expiresAt, this.#world.clock.now());
    }

    /** What the storage was asked for since this object was loaded. For the log and for tests of the budget. */
    async rows(): Promise<MeterReading> {
      return this.#storage.meter.snapshot();
    }

    override async fetch(incoming: Request): Promise<Response> {
      const parts = { world: this.#world, state: this.ctx, importer: this.#importer, leases: this.#leases };
      const owned = (caller: Caller): OpenThread => this.#owned(caller);
      const answer = await this.#answer(() => serveInternal({ ...parts, owned }, incoming));
      if (answer.ok) return answer.value;
      await discardBody(incoming);
      return refusalResponse(answer.refusal);
    }

    /** Never throws: an alarm that does is retried a few times and then lost. What goes wrong is tried again later. */
    override async alarm(): Promise<void> {
      this.#alarm.fired();
      if (!this.#store.exists()) return;
      try {
        const open = this.#load();
        if (open === null) {
          await this.#importer.woken();
          return;
        }
        open.context.wakeups.beat();
        open.driver.resume();
        // Not waited for: an alarm that hangs with the catalog would keep the next one from being heard.
        this.ctx.waitUntil(open.context.wakeups.runAndSleep());
      } catch (thrown) {
        this.#alarm.notAfter(this.#world.clock.now() / 1000 + longestHeartbeatMs);
        this.#world.log("error", "alarm_failed", { thread_id: this.ctx.id.name ?? null, cause: causeOf(thrown) });
      }
    }

    override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
      const open = this.#load();
      if (open !== null && typeof message === "string") acknowledge(open.context, socket, message);
    }

    override webSocketClose(socket: WebSocket): void {
      this.#dropReader(socket);
      // Answers the other side's close; without it the client waits and then sees a broken connection.
      socket.close(1000, "closed");
    }

    override webSocketError(socket: WebSocket): void {
      this.#dropReader(socket);
    }

    /** A second deletion joins the first: on its own it would delete a thread that was created again under the id. */
    async #remove(open: OpenThread, byParent: boolean): Promise<void> {
      this.#removing ??= this.#removeOnce(open, byParent).finally(() => {
        this.#removing = null;
      });
      await this.#removing;
    }

    async #removeOnce(open: OpenThread, byParent: boolean): Promise<void> {
      const work = removeThread(open, byParent).then(() => this.#close());
      // A thread of the same id is created only when nothing is left of the deleted one.
      this.#creating = Promise.allSettled([this.#creating, work]);
      await work;
    }

    #dropReader(socket: WebSocket): void {
      this.#leases.left(socket);
      this.#open?.context.live.broadcaster.release(socket);
    }

    /** The loaded thread, or null where none was created. A cut run is taken up as soon as anything asks. */
    #load(): OpenThread | null {
      if (this.#open === null) {
        const record = this.#store.readThread();
        if (record === null) return null;
        this.#openAs(record).driver.resume();
      } else if (isRestOver(this.#open)) this.#open.driver.resume();
      return this.#open;
    }

    #openAs(record: ThreadRecord): OpenThread {
      const [world, storage, store, alarm] = [this.#world, this.#storage, this.#store, this.#alarm];
      this.#open = openThread({ world, storage, store, record, alarm, state: this.ctx, ownerFeed: this.#ownerFeed });
      return this.#open;
    }

    #close(): void {
      this.#open = null;
      this.#alarm = this.#armed(null);
    }

    #armed(at: number | null): Alarm {
      return new Alarm(this.#storage, at, this.#world.clock.now() / 1000);
    }

    /** The thread, if it exists and is the caller's; another's looks like one that does not exist. */
    #owned(caller: Caller): OpenThread {
      const record = this.#open?.context.live.record ?? this.#store.readThread();
      const allowed = record !== null && (caller.admin || (caller.user !== null && caller.user === record.user_id));
      const open = allowed ? this.#load() : null;
      if (open === null) throw refuse("thread_not_found", "There is no such thread.");
      return open;
    }

    /** Runs work that creates the thread, one at a time: hooks may wait, and a repeated request must find the first one's result. */
    async #make<T>(make: (parts: CreateContext) => Promise<T>): Promise<T> {
      const [store, world] = [this.#store, this.#world];
      const parts = { store, world, open: () => this.#load(), close: () => this.#close() };
      const work = this.#creating.then(async () => {
        await this.#importer.clear();
        return make(parts);
      });
      this.#creating = work.catch(() => undefined);
      return work;
    }

    async #answer<T>(work: () => T | Promise<T>): Promise<Answer<T>> {
      return answered(work, { log: this.#world.log, threadId: this.ctx.id.name ?? null });
    }
  };
}
