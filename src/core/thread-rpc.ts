// The thread's interface to the Worker in front of it: what crosses the RPC border between `http` and the object. Answers
// are data, refusals too, because an Error loses its fields on the way.

import type { ErrorCode, Refusal } from "#contract/error.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Log } from "#contract/log.ts";
import type { Message } from "#contract/message.ts";
import type { MessagePage, Page } from "#contract/page.ts";
import type { ListQueue, PatchQueued, QueuedInput } from "#contract/queue-route.ts";
import type {
  CreateThread,
  ListLogs,
  ListMessages,
  ListRuns,
  PatchMessage,
  PatchThread,
  PostMessage,
  PostRun,
} from "#contract/request.ts";
import type { Run } from "#contract/run.ts";
import type { SetupOptions, ThreadSetup } from "#contract/setup.ts";
import type { PendingCall, Thread, ThreadStatus } from "#contract/thread.ts";
import type { ToolResult } from "#contract/tool-result.ts";
import type { PostToolResults, ToolResultsTaken } from "#contract/tool-route.ts";
import type { TranscriptMessage } from "#contract/transcript.ts";

import type { HoldsLeases } from "./lease.ts";
import type { ThreadParent } from "./record.ts";

/** Who asks. Decided by `http` from the credentials, checked by the thread against its owner. */
export interface Caller {
  /** The user whose threads are reachable; null for an admin that stands for nobody. */
  user: string | null;
  admin: boolean;
  /** Expiry of the credentials, in microseconds since epoch; absent if they do not expire. Streams end at that time. */
  until?: number;
  /** The lease for the stream or the run of this call; the user's feed object keeps it. `bridged`: the Worker reads the stream. */
  lease?: { id: string; bridged: boolean } | undefined;
}

/** An answer or a refusal. */
export type Answer<T> = { ok: true; value: T } | { ok: false; refusal: Refusal };

/** An idempotency key with the fingerprint of the body it came with. */
export interface RequestKey {
  key: string;
  fingerprint: string;
}

/** What `POST /api/threads` becomes: validated, the owner decided, the id chosen. */
export interface CreateInput extends Omit<CreateThread, "id" | "user_id"> {
  id: string;
  user_id: string | null;
  /** Fingerprint of the body; the same one on an existing thread gives the thread again instead of a conflict. */
  creation: string;
  parent?: ThreadParent;
  setup?: ThreadSetup;
  /** The conversation that it begins with, in place of `initial_messages`. */
  transcript?: TranscriptMessage[];
}

/** What a dialect sends with a message or with results. */
export interface InputSetup {
  /** The thread that is meant was set up under this name for this owner; any other one is `thread_not_found`. */
  named?: { name: string; owner: string | null };
  /** Options of model requests. They are stored together with the input and apply from the next run on. */
  options?: SetupOptions;
  /** Refuses results with `conflict` while the thread waits for none. */
  onlyWhileWaiting?: boolean;
}

/** What an admitted input became. `run` is null when the message starts none. */
export interface Admission {
  message: Message | null;
  run: Run | null;
  /** Last event number before anything this admission told: subscribe after it to miss nothing. */
  after: number;
  /** The key was used before and this is the first answer again. */
  repeated: boolean;
}

/** An admission, with what a dialect needs to follow it. */
export interface PostedMessage extends Admission {
  /** Names of the tools that the thread's client runs. */
  client_tools: string[];
}

/** Results that were taken, with what a dialect needs to follow the run. */
export interface PostedResults extends ToolResultsTaken {
  /** Last event number before anything that the results caused. */
  after: number;
  /** Names of the tools that the thread's client runs. */
  client_tools: string[];
}

/** A message and why it broke off. The message is null for a run that failed without one. */
export interface TranscriptEntry {
  message: Message | null;
  error: string | null;
}

/** A page of a conversation, with the state of its thread. */
export interface TranscriptPage {
  thread: Thread;
  /** The name that the thread was set up under; null for a thread without a setup. */
  name: string | null;
  /** The model that answered last, or that will answer; null where it is not known. */
  model: string | null;
  /** The calls that the thread waits for, with their arguments. */
  pending: PendingCall[];
  /** USD, with those of the active run; null where a price is missing. */
  cost: number | null;
  entries: TranscriptEntry[];
  next_cursor: string | null;
}

/** A thread that told the catalog everything again. */
export interface Relisted {
  thread_id: string;
  /** Runs whose totals were sent. */
  runs: number;
}

/**
 * The methods of a thread's object: their inputs after the caller, and their results. Contract: each of them refuses with
 * `thread_not_found`, before any write, a thread that does not exist or that the caller may not access.
 */
export interface ThreadMethods {
  create(input: CreateInput): Thread;
  describe(): Thread;
  patch(change: PatchThread): Thread;
  /** Stops the run, deletes every row and leaves an empty object. `byParent`: the parent deletes it and needs no notice. */
  remove(byParent?: boolean): null;
  postMessage(input: PostMessage, key: RequestKey | null, setup?: InputSetup): PostedMessage;
  postRun(input: PostRun, key: RequestKey | null): Admission;
  /** Returns once the stop is durable. */
  stop(runId: string | null): { status: ThreadStatus };
  listMessages(query: ListMessages): MessagePage<Message>;
  getMessage(id: string): Message;
  patchMessage(id: string, change: PatchMessage): Message;
  deleteMessage(id: string): null;
  /** The waiting inputs, in their order. */
  listQueue(query: ListQueue): Page<QueuedInput>;
  patchQueued(id: string, change: PatchQueued): QueuedInput;
  /** Removes a waiting input. */
  deleteQueued(id: string): null;
  listRuns(query: ListRuns): Page<Run>;
  getRun(id: string): Run;
  listLogs(query: ListLogs): Page<Log>;
  getLog(id: string): Log;
  /** Runs a tool's function now, without a run (Standard Agents, invokeTool). */
  invokeTool(name: string, args: JsonObject): ToolResult;
  /** Sends the thread and the totals of all its runs to the catalog again. */
  relist(): Relisted;
  postToolResults(input: PostToolResults, setup?: InputSetup): PostedResults;
  /** The conversation, page by page. */
  readTranscript(cursor: string | null): TranscriptPage;
}

/** Calls the methods of one object by name. A refusal is a value; the promise rejects only when the object cannot be reached. */
export interface MethodCalls<Methods extends { [M in keyof Methods]: (...input: never[]) => unknown }> {
  call<M extends keyof Methods & string>(
    method: M,
    caller: Caller,
    ...input: Parameters<Methods[M]>
  ): Promise<Answer<ReturnType<Methods[M]>>>;
}

/** What the Worker calls on a thread's object. */
export interface ThreadRpc extends MethodCalls<ThreadMethods>, HoldsLeases {
  /**
   * Uses a stream's ticket: true once for each nonce, false after that. Kept in memory until `expiresAt` (microseconds), so
   * an eviction within a ticket's 30 seconds forgets it. Writes nothing, and works on an empty object.
   */
  redeemTicket(nonce: string, expiresAt: number): Promise<boolean>;
}

/**
 * A thread as `http` reaches it. `fetch` takes five internal requests: an upgrade to the subscriber socket
 * (`subscribePath`, filter in the query), a thread endpoint of a definition (`endpointPath`), one about the thread's
 * files (`filesPath`), its export and its import (`exportPath`, `importPath`). All carry the caller in
 * `callerHeader` as JSON; the Worker builds these requests itself, so nothing from outside can set it.
 */
export interface ThreadStub extends ThreadRpc {
  fetch(request: Request): Promise<Response>;
}

/** Gives a fresh stub for every call: a stub stays broken after its object was reset. */
export type ThreadDirectory = (threadId: string) => ThreadStub;

/**
 * Path of an upgrade request. Query: `after`, `types`, `depth`, `include_silent`, `until` as in the contract, and `run_id`
 * to see only the events of one run (its input message included).
 */
export const subscribePath = "/subscribe";

/** Path prefix of a thread endpoint call: `/endpoint/<index of the route in the registry>`. The body is passed on. */
export const endpointPath = "/endpoint/";

/**
 * Path prefix of a request about files: `/files/content` with the file's `path` beside the route's own query, its method,
 * its body and its conditions; `/files/search` and `/files/stats` likewise.
 */
export const filesPath = "/files/";

/** Path of a search of the thread's messages; the route's own query. A request and no call, so that it ends when its client leaves. */
export const messageSearchPath = "/messages-search";

/** Path of a request for the whole thread; the route's own query. */
export const exportPath = "/export";

/** Path of a request to make the thread of an export, which is the body. The object is that of the id the export names. */
export const importPath = "/import";

/** Header of an internal request: the `Caller` as JSON. */
/** Query field of a subscription: the expiry of the reader's credentials, in microseconds since epoch. */
export const endField = "ends_at";
export const callerHeader = "x-threadhold-caller";

/** Header of an import that may be repeated: what its repetitions have in common. */
export const creationHeader = "x-threadhold-creation";

/** Response header of an import: the number of imported inputs that wait for their runs. */
export const waitingHeader = "x-threadhold-waiting";

/** Header of an endpoint call: the outside URL, so that the handler sees what the client asked for. */
export const urlHeader = "x-threadhold-url";

/** Shorthand for a refused answer. */
export function refused(code: ErrorCode, message: string): { ok: false; refusal: Refusal } {
  return { ok: false, refusal: { code, message } };
}
