// The Durable Object of a thread: a shell of lifecycle and wiring. Its methods delegate; an object whose thread was never
// created answers `thread_not_found` and writes nothing. Everything that is not a method of the RPC interface is #private:
// on Workers a TypeScript `private` method can still be called from outside.

import { DurableObject } from "cloudflare:workers";

import { refuse } from "#contract/error.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Log } from "#contract/log.ts";
import type { Message } from "#contract/message.ts";
import type { MessagePage, Page } from "#contract/page.ts";
import type { ListQueue, PatchQueued, QueuedInput } from "#contract/queue-route.ts";
import type * as request from "#contract/request.ts";
import type { Run } from "#contract/run.ts";
import type { Thread, ThreadStatus } from "#contract/thread.ts";
import type { ToolResult } from "#contract/tool-result.ts";
import type { PostToolResults, ToolResultsTaken } from "#contract/tool-route.ts";
import type { HeldLeases } from "#core/lease.ts";
import type { ThreadRecord } from "#core/record.ts";
import type { Execution, SessionExecution, SessionPage, SessionPlace } from "#core/session-rpc.ts";
import { peerCaller } from "#core/thread-peer.ts";
import type { ChildCalls, ChildInput, Delivery, KnownCalls, Relay, ThreadPeer } from "#core/thread-peer.ts";
import type { Admission, Answer, Caller, CreateInput, Relisted, RequestKey, ThreadRpc } from "#core/thread-rpc.ts";
import { UsedTickets } from "#core/used-tickets.ts";
import { toMessage } from "#core/view.ts";
import { discardBody } from "#lib/discard-body.ts";
import { meterStorage } from "#store/meter.ts";
import type { MeterReading, MeteredStorage } from "#store/meter.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";
import { createSqliteThreadStore } from "#store/thread/sqlite-thread-store.ts";

import { Alarm, longestHeartbeatMs } from "./alarm.ts";
import { answered } from "./answered.ts";
import { Importer } from "./archive/importer.ts";
import { admitChild } from "./children/admit-child.ts";
import { knownCalls } from "./children/child-answers.ts";
import { takeChildCalls } from "./children/child-calls.ts";
import { takeDelivery, takeRelay } from "./children/delivery.ts";
import { watchedFromAbove } from "./children/watching.ts";
import { createThread } from "./method/create-thread.ts";
import type { CreateContext } from "./method/create-thread.ts";
import { serveInternal } from "./method/internal-request.ts";
import { invokeByHand } from "./method/invoke-tool.ts";
import { relistThread } from "./method/relist-thread.ts";
import { patchThread, removeThread, stopThread, view } from "./method/thread-changes.ts";
import { deleteMessage, getMessage, listMessages, patchMessage } from "./method/thread-messages.ts";
import { deleteQueued, listQueue, patchQueued } from "./method/thread-queue.ts";
import { getLog, getRun, listLogs, listRuns } from "./method/thread-records.ts";
import { takeToolResults } from "./method/tool-results.ts";
import { isRestOver, openThread } from "./open-thread.ts";
import type { OpenThread } from "./open-thread.ts";
import { OwnerFeed } from "./owner-feed.ts";
import { acknowledge } from "./reader/subscribe.ts";
import { refusalResponse } from "./refusal-response.ts";
import { admitMessage, admitRun } from "./run/admission.ts";
import { executeSession } from "./session/execute-session.ts";
import { makeSession } from "./session/make-session.ts";
import { readSession } from "./session/read-session.ts";
import { StreamLeases } from "./stream-leases.ts";
import type { World } from "./world.ts";

/** Makes the class of a deployment from its world: definitions, models, catalog, settings. */
export function threadObject<Env>(worldOf: (env: Env, state: DurableObjectState) => World) {
  return class ThreadObject extends DurableObject<Env> implements ThreadRpc, ThreadPeer {
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

    async create(caller: Caller, input: CreateInput): Promise<Answer<Thread>> {
      return this.#make((parts) => createThread(parts, caller, input));
    }

    async executeSession(caller: Caller, asked: SessionExecution): Promise<Answer<Execution>> {
      const { context } = asked;
      const made =
        context === null ? null : await this.#make((parts) => makeSession(parts, caller, { ...asked, context }));
      if (made !== null && !made.ok) return made;
      return this.#admitted(caller, () => executeSession(this.#ownSession(caller, asked), caller, asked));
    }

    async readSession(caller: Caller, place: SessionPlace, cursor: string | null): Promise<Answer<SessionPage>> {
      return this.#answer(() => readSession(this.#ownSession(caller, place).context, cursor));
    }

    async describe(caller: Caller): Promise<Answer<Thread>> {
      return this.#answer(() => view(this.#owned(caller).context));
    }

    async patch(caller: Caller, change: request.PatchThread): Promise<Answer<Thread>> {
      return this.#answer(() => patchThread(this.#owned(caller), change));
    }

    async remove(caller: Caller, byParent = false): Promise<Answer<null>> {
      return this.#answer(async () => {
        const open = this.#owned(caller);
        // A second deletion would go on after the first and hit a thread made anew under the id.
        this.#removing ??= this.#remove(open, byParent).finally(() => {
          this.#removing = null;
        });
        await this.#removing;
        return null;
      });
    }

    async postMessage(caller: Caller, input: request.PostMessage, key: RequestKey | null): Promise<Answer<Admission>> {
      return this.#admitted(caller, () => {
        const { context, driver } = this.#owned(caller);
        return admitMessage(context, driver, { caller, input, key });
      });
    }

    async postRun(caller: Caller, input: request.PostRun, key: RequestKey | null): Promise<Answer<Admission>> {
      return this.#admitted(caller, () => {
        const { context, driver } = this.#owned(caller);
        return admitRun(context, driver, { caller, input, key });
      });
    }

    async stop(caller: Caller, runId: string | null): Promise<Answer<{ status: ThreadStatus }>> {
      return this.#answer(() => stopThread(this.#owned(caller), runId));
    }

    async listMessages(caller: Caller, query: request.ListMessages): Promise<Answer<MessagePage<Message>>> {
      return this.#answer(() => listMessages(this.#owned(caller).context, query));
    }

    async getMessage(caller: Caller, id: string): Promise<Answer<Message>> {
      return this.#answer(() => toMessage(getMessage(this.#owned(caller).context, id)));
    }

    async patchMessage(caller: Caller, id: string, change: request.PatchMessage): Promise<Answer<Message>> {
      return this.#answer(() => patchMessage(this.#owned(caller).context, id, change));
    }

    async deleteMessage(caller: Caller, id: string): Promise<Answer<null>> {
      return this.#answer(() => {
        deleteMessage(this.#owned(caller).context, id);
        return null;
      });
    }

    async listQueue(caller: Caller, query: ListQueue): Promise<Answer<Page<QueuedInput>>> {
      return this.#answer(() => listQueue(this.#owned(caller).context, query));
    }

    async patchQueued(caller: Caller, id: string, change: PatchQueued): Promise<Answer<QueuedInput>> {
      return this.#answer(() => patchQueued(this.#owned(caller).context, id, change));
    }

    async deleteQueued(caller: Caller, id: string): Promise<Answer<null>> {
      return this.#answer(() => {
        deleteQueued(this.#owned(caller).context, id);
        return null;
      });
    }

    async listRuns(caller: Caller, query: request.ListRuns): Promise<Answer<Page<Run>>> {
      return this.#answer(() => listRuns(this.#owned(caller).context, query));
    }

    async getRun(caller: Caller, id: string): Promise<Answer<Run>> {
      return this.#answer(() => getRun(this.#owned(caller).context, id));
    }

    async listLogs(caller: Caller, query: request.ListLogs): Promise<Answer<Page<Log>>> {
      return this.#answer(() => listLogs(this.#owned(caller).context, query));
    }

    async getLog(caller: Caller, id: string): Promise<Answer<Log>> {
      return this.#answer(() => getLog(this.#owned(caller).context, id));
    }

    async invokeTool(caller: Caller, name: string, args: JsonObject): Promise<Answer<ToolResult>> {
      return this.#answer(() => invokeByHand(this.#owned(caller).context, caller, { name, args }));
    }

    async relist(caller: Caller): Promise<Answer<Relisted>> {
      return this.#answer(() => relistThread(this.#owned(caller)));
    }

    async postToolResults(caller: Caller, input: PostToolResults): Promise<Answer<ToolResultsTaken>> {
      return this.#admitted(caller, () => takeToolResults(this.#owned(caller), { caller, body: input }));
    }

    async startChild(input: ChildInput): Promise<Answer<null>> {
      const { text: _, limits: __, ...made } = input;
      const answer = await this.create(peerCaller, { ...made, creation: `call ${input.parent.message_id}` });
      return answer.ok ? this.#answer(() => admitChild(this.#owned(peerCaller), input)) : answer;
    }

    async deliver(delivery: Delivery): Promise<Answer<null>> {
      return this.#answer(() => {
        const { context, driver } = this.#owned(peerCaller);
        takeDelivery(context, driver, delivery);
        return null;
      });
    }

    async childCalls(told: ChildCalls): Promise<Answer<null>> {
      return this.#answer(() => {
        const { context, driver } = this.#owned(peerCaller);
        takeChildCalls(context, driver, told);
        return null;
      });
    }

    async knownCalls(caller: Caller, ids: string[], most: number): Promise<Answer<KnownCalls>> {
      return this.#answer(() => knownCalls(this.#owned(caller).context, { caller, ids, most }));
    }

    async relay(relay: Relay): Promise<Answer<{ watched: boolean }>> {
      return this.#answer(() => takeRelay(this.#owned(peerCaller).context, relay));
    }

    async watch(parentId: string): Promise<Answer<null>> {
      return this.#answer(() => {
        watchedFromAbove(this.#owned(peerCaller).context, parentId);
        return null;
      });
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
        open.driver.beat();
        open.driver.resume();
        // Not waited for: an alarm that hangs with the catalog would keep the next one from being heard.
        this.ctx.waitUntil(open.driver.flushAndSleep());
      } catch (thrown) {
        this.#alarm.notAfter(this.#world.clock.now() / 1000 + longestHeartbeatMs);
        const cause = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
        console.error(JSON.stringify({ event: "alarm_failed", thread_id: this.ctx.id.name ?? null, cause }));
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

    async #remove(open: OpenThread, byParent: boolean): Promise<void> {
      const work = removeThread(open, byParent).then(() => this.#close());
      // A thread is made anew when nothing is left of the old one.
      this.#creating = Promise.allSettled([this.#creating, work]);
      await work;
    }

    #dropReader(socket: WebSocket): void {
      this.#leases.left(socket);
      this.#open?.context.live.broadcaster.gone(socket);
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

    /** The thread of a session. One whose id was made from its name is nobody else's session and no other thread. */
    #ownSession(caller: Caller, { session_id, derived, owner }: SessionPlace): OpenThread {
      const open = this.#owned(caller);
      const { user_id, session } = open.context.live.record;
      if (!derived || (session?.id === session_id && user_id === owner)) return open;
      throw refuse("thread_not_found", "There is no such thread.");
    }

    /** One at a time: hooks may wait, and a repetition must see what the first one made. */
    async #make<T>(make: (parts: CreateContext) => Promise<T>): Promise<Answer<T>> {
      const [store, world] = [this.#store, this.#world];
      const parts = { store, world, open: () => this.#load(), close: () => this.#close() };
      const work = this.#creating.then(() =>
        this.#answer(async () => {
          await this.#importer.clear();
          return make(parts);
        }),
      );
      this.#creating = work;
      return work;
    }

    /** The answer to an input that may start a run. After the admission the thread's status decides about the lease. */
    async #admitted<T>({ lease }: Caller, work: () => T | Promise<T>): Promise<Answer<T>> {
      const answer = await this.#answer(work);
      if (lease !== undefined && answer.ok && this.#open !== null)
        this.#ownerFeed.admitted(lease.id, this.#open.context.live);
      return answer;
    }

    async #answer<T>(work: () => T | Promise<T>): Promise<Answer<T>> {
      return answered(this.ctx.id.name ?? null, work);
    }
  };
}
