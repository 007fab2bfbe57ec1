// A thread's object in memory: owners, keys and replay work as in the real one, and the test scripts the effects of the loop.

import type { Branch, CheckedOut } from "#contract/branch-route.ts";
import type { ToolResult } from "#contract/call-result.ts";
import type { ThreadContext } from "#contract/context-route.ts";
import type { MessagePage, Page } from "#contract/list-page.ts";
import type { Log } from "#contract/log-entry.ts";
import type { PostMessage } from "#contract/message-route.ts";
import type { ListQueue, PatchQueued, QueuedInput } from "#contract/queue-route.ts";
import type { PostRun } from "#contract/run-route.ts";
import type { Run } from "#contract/run.ts";
import type { Message } from "#contract/thread-message.ts";
import type { PatchThread } from "#contract/thread-route.ts";
import type { Thread, ThreadStatus } from "#contract/thread.ts";
import type { PostToolResults } from "#contract/tool-route.ts";
import type { HeldLeases } from "#core/rpc/lease.ts";
import type {
  Admission,
  Result,
  Caller,
  CreateInput,
  Relisted,
  PostedResults,
  RequestKey,
  ThreadMethods,
  ThreadStub,
  TranscriptPage,
} from "#core/rpc/thread-rpc.ts";
import {
  callerHeader,
  endpointPath,
  filesPath,
  messageSearchPath,
  refused,
  subscribePath,
} from "#core/rpc/thread-rpc.ts";

import { messageRecord, runRecord, threadRecord } from "../../support/records.ts";
import type { FakeFeed } from "./fake-feed.ts";
import { FakeSubscriber } from "./fake-subscriber.ts";

/** The methods as this class implements them, with the caller as first argument. */
type Methods = {
  [M in keyof ThreadMethods]: (
    caller: Caller,
    ...input: Parameters<ThreadMethods[M]>
  ) => Promise<Result<ReturnType<ThreadMethods[M]>>>;
};

/** An event of a test; the thread adds `seq`. */
export interface FakeEvent {
  type: string;
  run_id?: string;
  [field: string]: unknown;
}

const missing = refused("thread_not_found", "There is no such thread.");

function ok<T>(value: T): Result<T> {
  return { ok: true, value };
}

export class FakeThread implements ThreadStub {
  thread: Thread | null = null;
  readonly messages: Message[] = [];
  readonly runs = new Map<string, Run>();
  readonly queue: QueuedInput[] = [];
  readonly events: (FakeEvent & { seq: number })[] = [];
  readonly subscribers: FakeSubscriber[] = [];
  readonly endpointCalls: Request[] = [];
  readonly fileCalls: Request[] = [];
  readonly calls: string[] = [];
  /** Errors that the next calls throw, one each. */
  readonly failures: Error[] = [];
  onEndpoint: (request: Request) => Response | Promise<Response> = () => new Response("endpoint");
  onFiles: (request: Request) => Response | Promise<Response> = () => new Response("bytes");
  onSearch: (url: URL) => Response | Promise<Response> = () => Response.json({ hits: [], next_cursor: null });
  onSubscribe: ((subscriber: FakeSubscriber) => void) | null = null;
  /** The feed that keeps a user's leases. */
  feed: ((owner: string | null) => FakeFeed) | null = null;
  /** Whether a run is active; the object that keeps its lease may ask for this. */
  working = false;
  readonly #open = new Set<string>();
  #creation: string | null = null;
  readonly #keys = new Map<string, { fingerprint: string; admission: Admission }>();
  readonly #nonces = new Set<string>();

  /** Emits an event to every subscriber. */
  emit(event: FakeEvent): number {
    const numbered = { ...event, seq: (this.events.at(-1)?.seq ?? 0) + 1 };
    this.events.push(numbered);
    for (const subscriber of this.subscribers) subscriber.tell(numbered);
    return numbered.seq;
  }

  #enter(method: string): void {
    this.calls.push(method);
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
  }

  #reach(caller: Caller): Thread | null {
    const { thread } = this;
    return thread !== null && (caller.admin || thread.user_id === caller.user) ? thread : null;
  }

  call<M extends keyof ThreadMethods>(
    method: M,
    caller: Caller,
    ...input: Parameters<ThreadMethods[M]>
  ): Promise<Result<ReturnType<ThreadMethods[M]>>> {
    const methods = this as unknown as Methods;
    return methods[method](caller, ...input);
  }

  async create(caller: Caller, input: CreateInput): Promise<Result<Thread>> {
    this.#enter("create");
    const { creation, initial_messages: _, ...fields } = input;
    if (this.thread !== null) {
      const again = creation === this.#creation && this.#reach(caller) !== null;
      return again ? ok(this.thread) : refused("conflict", "This id is in use.");
    }
    this.#creation = creation;
    const { id, agent_id, user_id, title = null, tags = [], metadata = {} } = fields;
    this.thread = threadRecord({ id, agent_id, origin_agent_id: agent_id, user_id, title, tags, metadata });
    return ok(this.thread);
  }

  async describe(caller: Caller): Promise<Result<Thread>> {
    this.#enter("describe");
    const thread = this.#reach(caller);
    return thread === null ? missing : ok(thread);
  }

  async patch(caller: Caller, change: PatchThread): Promise<Result<Thread>> {
    this.#enter("patch");
    const thread = this.#reach(caller);
    if (thread === null) return missing;
    this.thread = { ...thread, title: change.title === undefined ? thread.title : change.title };
    return ok(this.thread);
  }

  async relist(caller: Caller): Promise<Result<Relisted>> {
    this.#enter("relist");
    const thread = this.#reach(caller);
    return thread === null ? missing : ok({ thread_id: thread.id, runs: this.runs.size });
  }

  async postToolResults(caller: Caller, input: PostToolResults): Promise<Result<PostedResults>> {
    this.#enter("postToolResults");
    const thread = this.#reach(caller);
    const run = [...this.runs.values()].at(-1);
    if (thread === null || run === undefined) return missing;
    const ignored = input.results.map(({ tool_call_id }) => tool_call_id);
    return ok({ run, missing: [], ignored, after: this.events.at(-1)?.seq ?? 0, client_tools: [] });
  }

  async readTranscript(caller: Caller): Promise<Result<TranscriptPage>> {
    this.#enter("readTranscript");
    const thread = this.#reach(caller);
    if (thread === null) return missing;
    const entries = this.messages.map((message) => ({ message, error: null }));
    return ok({ thread, name: null, model: null, pending: [], cost: thread.cost, entries, next_cursor: null });
  }

  async remove(caller: Caller): Promise<Result<null>> {
    this.#enter("remove");
    if (this.#reach(caller) === null) return missing;
    this.thread = null;
    return ok(null);
  }

  async postMessage(caller: Caller, input: PostMessage, key: RequestKey | null): Promise<Result<Admission>> {
    this.#enter("postMessage");
    return this.#admit(caller, key, () => {
      const content = typeof input.content === "string" ? input.content : null;
      const message = messageRecord({ id: crypto.randomUUID(), role: input.role, content });
      this.messages.push(message);
      return { message, run: input.run ? this.#newRun("message") : null };
    });
  }

  async postRun(caller: Caller, _input: PostRun, key: RequestKey | null): Promise<Result<Admission>> {
    this.#enter("postRun");
    return this.#admit(caller, key, () => ({ message: null, run: this.#newRun("continue") }));
  }

  #newRun(kind: Run["kind"]): Run {
    const run = runRecord({ id: crypto.randomUUID(), kind });
    this.runs.set(run.id, run);
    return run;
  }

  #admit(caller: Caller, key: RequestKey | null, make: () => Pick<Admission, "message" | "run">): Result<Admission> {
    if (this.#reach(caller) === null) return missing;
    const known = key === null ? undefined : this.#keys.get(key.key);
    if (known !== undefined && key !== null) {
      if (known.fingerprint !== key.fingerprint) return refused("conflict", "The key was used with another body.");
      return ok({ ...known.admission, repeated: true });
    }
    const admission = { ...make(), after: this.events.at(-1)?.seq ?? 0, repeated: false };
    if (key !== null) this.#keys.set(key.key, { fingerprint: key.fingerprint, admission });
    return ok(admission);
  }

  async stop(caller: Caller): Promise<Result<{ status: ThreadStatus }>> {
    this.#enter("stop");
    return this.#reach(caller) === null ? missing : ok({ status: "idle" });
  }

  async listMessages(caller: Caller): Promise<Result<MessagePage<Message>>> {
    this.#enter("listMessages");
    if (this.#reach(caller) === null) return missing;
    const total = this.messages.length;
    return ok({ items: this.messages, total, has_more: false, next_cursor: null });
  }

  async getMessage(caller: Caller, id: string): Promise<Result<Message>> {
    this.#enter("getMessage");
    if (this.#reach(caller) === null) return missing;
    const message = this.messages.find((known) => known.id === id);
    return message === undefined ? refused("message_not_found", "There is no such message.") : ok(message);
  }

  patchMessage(caller: Caller, id: string): Promise<Result<Message>> {
    return this.getMessage(caller, id);
  }

  async deleteMessage(caller: Caller, id: string): Promise<Result<null>> {
    const answer = await this.getMessage(caller, id);
    return answer.ok ? ok(null) : answer;
  }

  async threadContext(caller: Caller): Promise<Result<ThreadContext>> {
    this.#enter("threadContext");
    if (this.#reach(caller) === null) return missing;
    const sizes = { window: null, budget: null, tokens: 3, system: 3 };
    return ok({ prompt: "main", model: "main", ...sizes, tools: [], messages: [], dropped: 0 });
  }

  async listBranches(caller: Caller): Promise<Result<Page<Branch>>> {
    this.#enter("listBranches");
    return this.#reach(caller) === null ? missing : ok({ items: [], next_cursor: null });
  }

  async checkout(caller: Caller): Promise<Result<CheckedOut>> {
    this.#enter("checkout");
    const thread = this.#reach(caller);
    return thread === null ? missing : ok({ thread, files_kept: 0 });
  }

  async listQueue(caller: Caller, query: ListQueue): Promise<Result<Page<QueuedInput>>> {
    this.#enter(`listQueue ${JSON.stringify(query)}`);
    return this.#reach(caller) === null ? missing : ok({ items: this.queue, next_cursor: null });
  }

  async patchQueued(caller: Caller, id: string, change: PatchQueued): Promise<Result<QueuedInput>> {
    this.#enter(`patchQueued ${id} ${JSON.stringify(change)}`);
    if (this.#reach(caller) === null) return missing;
    const input = this.queue.find((known) => known.id === id);
    return input === undefined ? refused("run_not_found", "There is no such input.") : ok(input);
  }

  async deleteQueued(caller: Caller, id: string): Promise<Result<null>> {
    this.#enter(`deleteQueued ${id}`);
    if (this.#reach(caller) === null) return missing;
    return this.queue.some((known) => known.id === id) ? ok(null) : refused("run_not_found", "There is no such input.");
  }

  async listRuns(caller: Caller): Promise<Result<Page<Run>>> {
    this.#enter("listRuns");
    return this.#reach(caller) === null ? missing : ok({ items: [...this.runs.values()], next_cursor: null });
  }

  async getRun(caller: Caller, id: string): Promise<Result<Run>> {
    this.#enter("getRun");
    if (this.#reach(caller) === null) return missing;
    const run = this.runs.get(id);
    return run === undefined ? refused("run_not_found", "There is no such run.") : ok(run);
  }

  async listLogs(caller: Caller): Promise<Result<Page<Log>>> {
    this.#enter("listLogs");
    return this.#reach(caller) === null ? missing : ok({ items: [], next_cursor: null });
  }

  async getLog(caller: Caller): Promise<Result<Log>> {
    this.#enter("getLog");
    return this.#reach(caller) === null ? missing : refused("log_not_found", "There is no such entry.");
  }

  async invokeTool(caller: Caller, name: string, args: object): Promise<Result<ToolResult>> {
    this.#enter("invokeTool");
    return this.#reach(caller) === null
      ? missing
      : ok({ status: "success", result: `${name} ${JSON.stringify(args)}` });
  }

  async held(ids: readonly string[]): Promise<HeldLeases> {
    this.calls.push("held");
    return { streams: ids.filter((id) => this.#open.has(id)), working: this.working };
  }

  async redeemTicket(nonce: string): Promise<boolean> {
    this.#enter("redeemTicket");
    if (this.#nonces.has(nonce)) return false;
    this.#nonces.add(nonce);
    return true;
  }

  async fetch(request: Request): Promise<Response> {
    this.#enter("fetch");
    const caller = JSON.parse(request.headers.get(callerHeader) ?? "null") as Caller;
    if (this.#reach(caller) === null) return Response.json({ error: missing.refusal }, { status: 404 });
    const url = new URL(request.url);
    if (url.pathname.startsWith(endpointPath)) {
      this.endpointCalls.push(request);
      return this.onEndpoint(request);
    }
    if (url.pathname.startsWith(filesPath)) {
      this.fileCalls.push(request);
      return this.onFiles(request);
    }
    if (url.pathname === messageSearchPath) return this.onSearch(url);
    if (url.pathname !== subscribePath) return new Response("not a path of the object", { status: 500 });
    return this.#subscribe(request, { url, caller });
  }

  #subscribe(request: Request, { url, caller }: { url: URL; caller: Caller }): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    const subscriber = new FakeSubscriber(server, request, url);
    this.subscribers.push(subscriber);
    const { user } = caller;
    const lease = caller.lease?.id;
    if (lease !== undefined) {
      this.#open.add(lease);
      void subscriber.left().then(() => {
        this.#open.delete(lease);
        void this.feed?.(user).giveBack(lease, "stream");
      });
    }
    const after = Number(url.searchParams.get("after") ?? "0");
    for (const event of this.events) if (event.seq > after) subscriber.tell(event);
    this.onSubscribe?.(subscriber);
    return new Response(null, { status: 101, webSocket: client });
  }
}
