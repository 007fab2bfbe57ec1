// The Durable Object of a thread: its entry points, and the tables that map a call or a request to its handler. RPC enters by `call`,
// requests with a socket or a body by `fetch`. An object without a thread responds `thread_not_found` and writes nothing. Everything that
// is not called from outside is #private: on Workers a TypeScript `private` method can be called over RPC.

import { DurableObject } from "cloudflare:workers";
import { z } from "zod";

import { refuse, httpStatus, ThreadholdError } from "#contract/error.ts";
import type { Refusal } from "#contract/error.ts";
import type { HeldLeases, HoldsLeases } from "#core/lease.ts";
import {
  callerHeader,
  endpointPath,
  exportPath,
  filesPath,
  importPath,
  messageSearchPath,
  subscribePath,
} from "#core/thread-rpc.ts";
import type { Result, Caller, ThreadRpc } from "#core/thread-rpc.ts";
import { UsedTickets } from "#core/used-tickets.ts";
import { discardBody } from "#lib/discard-body.ts";
import { causeOf } from "#lib/log-port.ts";
import { meterStorage } from "#store/meter.ts";
import type { MeterReading, MeteredStorage } from "#store/meter.ts";

import { peerMethods } from "./children/peer-methods.ts";
import { createMethods } from "./method/create-thread.ts";
import { callEndpoint } from "./method/endpoint-call.ts";
import { serveFiles } from "./method/file-request.ts";
import { toolMethods } from "./method/invoke-tool.ts";
import { serveMessageSearch } from "./method/message-search.ts";
import type { MethodCall, MethodGroup, MethodName } from "./method/method-call.ts";
import { resultMethods } from "./method/post-tool-results.ts";
import { transcriptMethods } from "./method/read-transcript.ts";
import { changeMethods } from "./method/thread-changes.ts";
import { exportThread } from "./method/thread-export.ts";
import { importThread } from "./method/thread-import.ts";
import { messageMethods } from "./method/thread-messages.ts";
import { queueMethods } from "./method/thread-queue.ts";
import { recordMethods } from "./method/thread-records.ts";
import { acknowledge, subscribe } from "./reader/subscribe.ts";
import { admissionMethods } from "./run/admission.ts";
import { continueMethods } from "./run/continue-run.ts";
import { StreamLeases } from "./stream-leases.ts";
import type { ThreadDependencies } from "./thread-dependencies.ts";
import { ThreadLoader } from "./thread-loader.ts";

/** The methods that `call` accepts. Each file of methods exports a group. The table does not compile if a method is missing. */
const methods: MethodGroup<MethodName> = {
  ...createMethods,
  ...changeMethods,
  ...admissionMethods,
  ...continueMethods,
  ...messageMethods,
  ...queueMethods,
  ...recordMethods,
  ...toolMethods,
  ...resultMethods,
  ...transcriptMethods,
  ...peerMethods,
};

/** Makes the class of a deployment's thread objects. `worldOf` returns the dependencies: definitions, models, catalog, settings. */
export function threadObject<Env>(worldOf: (env: Env, state: DurableObjectState) => ThreadDependencies) {
  return class ThreadObject extends DurableObject<Env> implements HoldsLeases, Pick<ThreadRpc, "redeemTicket"> {
    readonly #world: ThreadDependencies;
    readonly #storage: MeteredStorage;
    readonly #loader: ThreadLoader;
    readonly #leases: StreamLeases;
    readonly #tickets = new UsedTickets();

    constructor(state: DurableObjectState, env: Env) {
      super(state, env);
      this.#world = worldOf(env, state);
      this.#storage = meterStorage(state.storage);
      this.#leases = new StreamLeases(state, this.#world.feeds, () => this.#world.clock.now() / 1000);
      this.#loader = new ThreadLoader(state, this.#world, this.#storage);
      state.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    }

    /** Calls one of the thread's methods by its name. Never rejects: a refusal is a value. */
    async call(name: string, caller: Caller, ...input: unknown[]): Promise<Result<unknown>> {
      const loader = this.#loader;
      const call: MethodCall = {
        caller,
        thread: () => loader.loadFor(caller),
        create: (work) => loader.create(work),
        remove: (byParent) => loader.remove(loader.loadFor(caller), byParent),
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
      const [loader, leases, { clock, files }] = [this.#loader, this.#leases, this.#world];
      const url = new URL(incoming.url);
      const caller = parseCaller(incoming.headers.get(callerHeader));
      if (url.pathname === importPath) {
        const end = leases.begin(caller);
        return importThread(loader.importer, { caller, clock }, incoming).finally(end);
      }
      const { context } = loader.loadFor(caller);
      if (url.pathname === exportPath) {
        return exportThread(context, incoming, { bucket: files.bucket, begin: () => leases.begin(caller) });
      }
      if (url.pathname === subscribePath) return subscribe(context, { state: this.ctx, url, lease: leases.of(caller) });
      if (url.pathname.startsWith(endpointPath)) return callEndpoint(context, incoming, url);
      if (url.pathname.startsWith(filesPath)) return serveFiles(context, incoming, url);
      if (url.pathname === messageSearchPath) return serveMessageSearch(context, incoming, url);
      throw refuse("route_not_found", "The thread has no such route.");
    }

    async held(ids: readonly string[]): Promise<HeldLeases> {
      const { record } = this.#loader;
      const working = record !== null && record.active_run_id !== null && record.status === "running";
      return { streams: this.#leases.held(ids), working };
    }

    /** Returns true for the first use of a ticket. Details are at `UsedTickets`. */
    async redeemTicket(nonce: string, expiresAt: number): Promise<boolean> {
      return this.#tickets.redeem(nonce, expiresAt, this.#world.clock.now());
    }

    /** Counts the storage operations since this object was loaded, for the log and for tests of the row budget. */
    async rows(): Promise<MeterReading> {
      return this.#storage.meter.snapshot();
    }

    override async alarm(): Promise<void> {
      await this.#loader.wake();
    }

    override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
      const open = this.#loader.load();
      if (open !== null && typeof message === "string") acknowledge(open.context, socket, message);
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
      this.#loader.loaded?.context.live.broadcaster.release(socket);
    }

    /** The outcome of a call as data: a refusal becomes data, and another failure is logged and hidden from the caller. Never rejects. */
    async #answer<T>(work: () => T | Promise<T>): Promise<Result<T>> {
      try {
        return { ok: true, value: await work() };
      } catch (thrown) {
        if (thrown instanceof ThreadholdError) return { ok: false, refusal: thrown.refusal };
        this.#world.log("error", "thread_failed", { thread_id: this.ctx.id.name ?? null, cause: causeOf(thrown) });
        return { ok: false, refusal: { code: "internal", message: "Something broke inside the server." } };
      }
    }
  };
}

const callerSchema = z.object({
  user: z.string().nullable(),
  admin: z.boolean(),
  lease: z.object({ id: z.string(), bridged: z.boolean() }).optional(),
});

/** The caller of an internal request, from the header that the Worker writes. A missing or invalid header gives no rights. Never throws. */
function parseCaller(header: string | null): Caller {
  try {
    return callerSchema.parse(JSON.parse(header ?? ""));
  } catch {
    return { user: null, admin: false };
  }
}

/** The response for a refusal, with the body and status of every other route. */
function refusalResponse(refusal: Refusal): Response {
  const { code, message, details, retry_after_ms } = refusal;
  const body = { error: { code, message, ...(details === undefined ? {} : { details }) } };
  const headers = retry_after_ms === undefined ? {} : { "retry-after": String(Math.ceil(retry_after_ms / 1000)) };
  return Response.json(body, { status: httpStatus(code), headers });
}
