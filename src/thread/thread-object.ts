// The Durable Object of a thread: finds the handler of a call or a request, checks who may access the thread, and loads the thread from its
// rows. RPC enters by `call`, requests with a socket or a body by `fetch`. An object without a thread responds `thread_not_found` and
// writes nothing. Everything that is not called from outside is #private: on Workers a TypeScript `private` method can be called over RPC.

import { DurableObject } from "cloudflare:workers";

import { refuse, httpStatus, ThreadholdError } from "#contract/error.ts";
import type { Refusal } from "#contract/error.ts";
import type { ThreadRecord } from "#core/record/record.ts";
import type { HeldLeases, HoldsLeases } from "#core/rpc/lease.ts";
import {
  callerHeader,
  endpointPath,
  exportPath,
  filesPath,
  importPath,
  messageSearchPath,
  parseCaller,
  subscribePath,
} from "#core/rpc/thread-rpc.ts";
import type { Result, Caller, ThreadRpc } from "#core/rpc/thread-rpc.ts";
import { UsedTickets } from "#core/rpc/used-tickets.ts";
import { discardBody } from "#lib/discard-body.ts";
import { causeOf } from "#lib/log-port.ts";
import { meterStorage } from "#store/meter.ts";
import type { MeterReading, MeteredStorage } from "#store/meter.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";
import { createSqliteThreadStore } from "#store/thread/sqlite-thread-store.ts";

import { Alarm, longestHeartbeatMs } from "./alarm.ts";
import { assertAccess, noThread } from "./caller-access.ts";
import type { Deployment } from "./deployment.ts";
import { ThreadLifetime } from "./lifetime/thread-lifetime.ts";
import { createMethods } from "./method/create-thread.ts";
import { callEndpoint } from "./method/endpoint-call.ts";
import { serveFiles } from "./method/file-request.ts";
import { inputMethods } from "./method/input-methods.ts";
import { toolMethods } from "./method/invoke-tool.ts";
import type { OpenThread } from "./method/loaded-thread.ts";
import { serveMessageSearch } from "./method/message-search.ts";
import type { MethodCall, MethodGroup, MethodName } from "./method/method-call.ts";
import { peerMethods } from "./method/peer-methods.ts";
import { transcriptMethods } from "./method/read-transcript.ts";
import { acknowledge, subscribe } from "./method/subscribe.ts";
import { authorizationMethods } from "./method/thread-authorizations.ts";
import { branchMethods } from "./method/thread-branches.ts";
import { changeMethods } from "./method/thread-changes.ts";
import { contextMethods } from "./method/thread-context.ts";
import { messageMethods } from "./method/thread-messages.ts";
import { queueMethods } from "./method/thread-queue.ts";
import { recordMethods } from "./method/thread-records.ts";
import { hasPassedDeadline, openThread } from "./open-thread.ts";
import { OwnerFeed } from "./owner-feed.ts";
import { StreamLeases } from "./stream-leases.ts";

/** The methods that `call` accepts. Each file of methods exports a group. The table does not compile if a method is missing. */
const methods: MethodGroup<MethodName> = {
  ...createMethods,
  ...changeMethods,
  ...inputMethods,
  ...messageMethods,
  ...branchMethods,
  ...queueMethods,
  ...contextMethods,
  ...recordMethods,
  ...toolMethods,
  ...transcriptMethods,
  ...peerMethods,
  ...authorizationMethods,
};

/** Makes the class of a deployment's thread objects. `deploymentOf` returns definitions, models, catalog and settings. */
export function threadObject<Env>(deploymentOf: (env: Env, state: DurableObjectState) => Deployment) {
  return class ThreadObject extends DurableObject<Env> implements HoldsLeases, Pick<ThreadRpc, "redeemTicket"> {
    readonly #deployment: Deployment;
    readonly #storage: MeteredStorage;
    readonly #store: ManagedThreadStore;
    readonly #ownerFeed: OwnerFeed;
    readonly #lifetime: ThreadLifetime;
    readonly #leases: StreamLeases;
    readonly #tickets = new UsedTickets();
    #alarm: Alarm;
    /** The thread, if it is in memory. */
    #open: OpenThread | null = null;

    constructor(state: DurableObjectState, env: Env) {
      super(state, env);
      this.#deployment = deploymentOf(env, state);
      this.#storage = meterStorage(state.storage);
      this.#leases = new StreamLeases(state, this.#deployment.feeds, () => this.#deployment.clock.now() / 1000);
      const [deployment, storage] = [this.#deployment, this.#storage];
      const store = createSqliteThreadStore(storage, {
        faults: deployment.faults,
        redact: deployment.settings.redact,
      });
      this.#store = store;
      this.#ownerFeed = new OwnerFeed(deployment.feeds, (work) => state.waitUntil(work));
      this.#alarm = this.#alarmAt(null);
      this.#lifetime = new ThreadLifetime({
        storage,
        store,
        deployment,
        alarm: () => this.#alarm,
        open: (record) => this.#openAs(record),
        loaded: () => this.#load(),
        inMemory: () => this.#open,
        ownerFeed: this.#ownerFeed,
        unload: () => this.#unload(),
      });
      state.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
      void state.blockConcurrencyWhile(async () => {
        if (!store.exists()) return;
        store.migrate();
        this.#alarm = this.#alarmAt(await state.storage.getAlarm());
      });
    }

    /** Calls one of the thread's methods by its name. Never rejects: a refusal is a value. */
    async call(name: string, caller: Caller, ...input: unknown[]): Promise<Result<unknown>> {
      const call: MethodCall = {
        caller,
        thread: () => this.#loadFor(caller),
        create: (work) => this.#lifetime.create(work),
        // A repeated request continues a deletion that has not ended.
        remove: (byParent) => {
          const { deletion } = assertAccess(caller, this.#record);
          return this.#lifetime.remove(deletion === undefined ? this.#loadFor(caller) : null, byParent);
        },
      };
      return this.#answer(() => {
        if (!Object.hasOwn(methods, name)) throw refuse("route_not_found", `The thread has no method "${name}".`);
        // The name arrives as text, so the compiler cannot infer the method's input. The callers' interface guarantees its type.
        const method = methods[name as MethodName] as (call: MethodCall, ...input: readonly unknown[]) => unknown;
        return method(call, ...input);
      });
    }

    /** Serves the Worker's internal requests: those with a socket or a body. */
    override async fetch(incoming: Request): Promise<Response> {
      const answer = await this.#answer(() => this.#serve(incoming));
      if (answer.ok) return answer.value;
      await discardBody(incoming);
      return refusalResponse(answer.refusal);
    }

    #serve(incoming: Request): Response | Promise<Response> {
      const [leases, { clock, files }] = [this.#leases, this.#deployment];
      const url = new URL(incoming.url);
      const caller = parseCaller(incoming.headers.get(callerHeader));
      if (url.pathname === importPath) {
        const [end, parts] = [leases.begin(caller), this.#lifetime.importerParts];
        return import("./archive/thread-import.ts")
          .then(({ importThread }) => importThread(parts, { caller, clock }, incoming))
          .finally(end);
      }
      const open = this.#loadFor(caller);
      if (url.pathname === exportPath) {
        const exporting = { caller, bucket: files.bucket, begin: () => leases.begin(caller) };
        return import("./archive/thread-export.ts").then(({ exportThread }) => exportThread(open, incoming, exporting));
      }
      if (url.pathname === subscribePath) return subscribe(open, { state: this.ctx, url, lease: leases.of(caller) });
      if (url.pathname.startsWith(endpointPath)) return callEndpoint(open, incoming, url);
      if (url.pathname.startsWith(filesPath)) return serveFiles(open, incoming, url);
      if (url.pathname === messageSearchPath) return serveMessageSearch(open, incoming, url);
      throw refuse("route_not_found", "The thread has no such route.");
    }

    async held(ids: readonly string[]): Promise<HeldLeases> {
      const { active_run_id = null, status, deletion } = this.#record ?? {};
      const working = active_run_id !== null && status === "running" && deletion === undefined;
      return { streams: this.#leases.held(ids), working };
    }

    /** Returns true for the first use of a ticket. Details are at `UsedTickets`. */
    async redeemTicket(nonce: string, expiresAt: number): Promise<boolean> {
      return this.#tickets.redeem(nonce, expiresAt, this.#deployment.clock.now());
    }

    /** Counts the storage operations since this object was loaded, for the log and for tests of the row budget. */
    async rows(): Promise<MeterReading> {
      return this.#storage.meter.snapshot();
    }

    /**
     * Resumes runs and does background work. Never throws: the platform would repeat the alarm only a few times. After an error the alarm
     * is set again.
     */
    override async alarm(): Promise<void> {
      this.#alarm.fired();
      if (!this.#store.exists()) return;
      try {
        if (this.#record?.deletion !== undefined) {
          // A thread that is still in memory does not have the time of the next attempt; its row does.
          this.ctx.waitUntil(this.#lifetime.continueDeletion(this.#store.readThread()?.deletion?.retry?.at ?? 0));
          return;
        }
        const open = this.#load();
        if (open === null) {
          await this.#lifetime.importMark.handleAlarm();
          return;
        }
        open.wakeups.beat();
        open.driver.resume();
        // Not awaited: the platform delivers the next alarm only after this one has returned, and the catalog may not respond.
        this.ctx.waitUntil(open.wakeups.runAndSleep());
      } catch (thrown) {
        this.#alarm.notAfter(this.#deployment.clock.now() / 1000 + longestHeartbeatMs);
        this.#logFailure("alarm_failed", thrown);
      }
    }

    override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
      const open = this.#load();
      if (open !== null && typeof message === "string") acknowledge(open.live, socket, message);
    }

    override webSocketClose(socket: WebSocket): void {
      this.#dropReader(socket);
      // Completes the closing handshake. Without it the client waits and then reports a broken connection.
      socket.close(1000, "closed");
    }

    override webSocketError(socket: WebSocket): void {
      this.#dropReader(socket);
    }

    #dropReader(socket: WebSocket): void {
      this.#leases.left(socket);
      this.#open?.live.broadcaster.release(socket);
    }

    /** The outcome of a call as data: a refusal becomes data, and another failure is logged and hidden from the caller. Never rejects. */
    async #answer<T>(work: () => T | Promise<T>): Promise<Result<T>> {
      try {
        return { ok: true, value: await work() };
      } catch (thrown) {
        if (thrown instanceof ThreadholdError) return { ok: false, refusal: thrown.refusal };
        this.#logFailure("thread_failed", thrown);
        return { ok: false, refusal: { code: "internal", message: "Something broke inside the server." } };
      }
    }

    #logFailure(event: "alarm_failed" | "thread_failed", thrown: unknown): void {
      this.#deployment.log("error", event, { thread_id: this.ctx.id.name ?? null, cause: causeOf(thrown) });
    }

    /** Returns the thread. Refuses with `thread_not_found` a thread that does not exist or that the caller may not access. */
    #loadFor(caller: Caller): OpenThread {
      assertAccess(caller, this.#record);
      const open = this.#load();
      if (open === null) throw noThread();
      return open;
    }

    /** The thread's record, from memory or from its row; null if no thread was created. */
    get #record(): Readonly<ThreadRecord> | null {
      return this.#open?.live.record ?? this.#store.readThread();
    }

    /**
     * Returns the thread, or null if none was created or if it is being deleted. Resumes a run that a crash interrupted or whose suspension
     * is over.
     */
    #load(): OpenThread | null {
      const record = this.#record;
      if (record === null || record.deletion !== undefined) return null;
      if (this.#open === null) this.#openAs(record).driver.resume();
      else if (hasPassedDeadline(this.#open)) this.#open.driver.resume();
      return this.#open;
    }

    #openAs(record: ThreadRecord): OpenThread {
      const [deployment, storage, store, alarm] = [this.#deployment, this.#storage, this.#store, this.#alarm];
      const [state, ownerFeed] = [this.ctx, this.#ownerFeed];
      this.#open = openThread({ deployment, storage, store, record, alarm, state, ownerFeed });
      return this.#open;
    }

    #unload(): void {
      this.#open = null;
      this.#alarm = this.#alarmAt(null);
    }

    #alarmAt(at: number | null): Alarm {
      return new Alarm(this.#storage, at, this.#deployment.clock.now() / 1000);
    }
  };
}

/** The response for a refusal, with the body and status of every other route. */
function refusalResponse(refusal: Refusal): Response {
  const { code, message, details, retry_after_ms } = refusal;
  const body = { error: { code, message, ...(details === undefined ? {} : { details }) } };
  const headers = retry_after_ms === undefined ? {} : { "retry-after": String(Math.ceil(retry_after_ms / 1000)) };
  return Response.json(body, { status: httpStatus(code), headers });
}
