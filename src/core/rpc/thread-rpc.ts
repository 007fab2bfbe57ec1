// The RPC interface of a thread's object for the Worker. Refusals are returned as data, because an Error loses its fields on the way.

import { z } from "zod";

import type { Branch, CheckedOut, Checkout, ListBranches } from "#contract/branch-route.ts";
import type { ToolResult } from "#contract/call-result.ts";
import type { ContextQuery, ThreadContext } from "#contract/context-route.ts";
import type { ErrorCode, Refusal } from "#contract/error.ts";
import type { JsonObject } from "#contract/json.ts";
import type { MessagePage, Page } from "#contract/list-page.ts";
import type { Log } from "#contract/log-entry.ts";
import type { ListLogs } from "#contract/log-route.ts";
import type { ListMessages, PatchMessage, PostMessage } from "#contract/message-route.ts";
import type { ListQueue, PatchQueued, QueuedInput } from "#contract/queue-route.ts";
import type { ListRuns, PostRun } from "#contract/run-route.ts";
import type { Run } from "#contract/run.ts";
import type { SetupOptions, ThreadSetup } from "#contract/setup.ts";
import type { Message } from "#contract/thread-message.ts";
import type { CreateThread, PatchThread } from "#contract/thread-route.ts";
import type { PendingCall, Thread, ThreadStatus } from "#contract/thread.ts";
import type { PostToolResults, ToolResultsTaken } from "#contract/tool-route.ts";
import type { TranscriptMessage } from "#contract/transcript.ts";
import { parseOwnJson } from "#lib/untrusted/own-json.ts";

import type { ThreadParent } from "../record/record.ts";
import type { AuthorizationCall } from "./authorization-call.ts";
import type { HoldsLeases } from "./lease.ts";

/** The caller of a method. The Worker determines it from the credentials, and the thread compares it with the thread's owner. */
export interface Caller {
  /** The user whose threads the caller may access; null for an administrator without a user id. */
  user: string | null;
  admin: boolean;
  /** Expiry of the credentials, in microseconds since epoch; absent if they do not expire. Streams end at that time. */
  until?: number;
  /**
   * The lease for the stream or the run of this call; the user's feed object counts it. `bridged`: the Worker reads the stream and forwards
   * it to its client.
   */
  lease?: { id: string; bridged: boolean } | undefined;
  /** The request's `traceparent` header, as it was sent. */
  trace?: string;
}

/** The value of a method, or its refusal. */
export type Result<T> = { ok: true; value: T } | { ok: false; refusal: Refusal };

/** An idempotency key with the fingerprint of the request's body. */
export interface RequestKey {
  key: string;
  fingerprint: string;
}

/** The input of `POST /api/threads`, validated, with the owner and the id. */
export interface CreateInput extends Omit<CreateThread, "id" | "user_id"> {
  id: string;
  user_id: string | null;
  /** Fingerprint of the body. If an existing thread has the same one, it is returned instead of a conflict. */
  creation: string;
  parent?: ThreadParent;
  setup?: ThreadSetup;
  /** The first messages of the conversation, in place of `initial_messages`. */
  transcript?: TranscriptMessage[];
}

/** Options of an input that came through a dialect: an API with another wire format, such as the AI SDK's (`src/dialect`). */
export interface InputSetup {
  /** The setup that the thread must have. A thread with another setup name or owner is refused with `thread_not_found`. */
  named?: { name: string; owner: string | null };
  /** Options of model requests. They are stored together with the input, and apply from the next run on. */
  options?: SetupOptions;
  /** Whether results are refused with `conflict` while the thread waits for none. */
  onlyWhileWaiting?: boolean;
}

/** An admitted input. `run` is null if the message starts no run. */
export interface Admission {
  message: Message | null;
  run: Run | null;
  /** The last event number before the events of this admission. A subscription after it receives all of them. */
  after: number;
  /** Whether the idempotency key was used before. The admission is then the first request's. */
  repeated: boolean;
  /** Only for a run on a new branch: the number of files that were written after the part that it shares. */
  files_kept?: number;
}

/** An admission, with the client's tools, by which a dialect recognises the calls that its client has to answer. */
export interface PostedMessage extends Admission {
  /** Names of the tools that the thread's client runs. */
  client_tools: string[];
}

/** Accepted results, with the event number and the client's tools, which a dialect needs to follow the run. */
export interface PostedResults extends ToolResultsTaken {
  /** The last event number before the events that the results caused. */
  after: number;
  /** Names of the tools that the thread's client runs. */
  client_tools: string[];
}

/**
 * A message, and the error that ended it early; null for a complete one. For a failed run whose last message has no such error, an
 * entry without a message follows and has the error of the run.
 */
export interface TranscriptEntry {
  message: Message | null;
  error: string | null;
}

/** A page of a conversation, with the state of its thread. */
export interface TranscriptPage {
  thread: Thread;
  /** The name in the thread's setup; null for a thread without a setup. */
  name: string | null;
  /** The model that answered last, or that will answer; null if it is unknown. */
  model: string | null;
  /** The calls that the thread waits for, with their arguments. */
  pending: PendingCall[];
  /** USD, including the active run; null if a price is missing. */
  cost: number | null;
  entries: TranscriptEntry[];
  next_cursor: string | null;
}

/** The result of `relist`: the thread and its runs were sent to the catalog, the deployment's index of all threads, again. */
export interface Relisted {
  thread_id: string;
  /** The number of runs whose totals were sent. */
  runs: number;
}

/**
 * The methods of a thread's object, with their results. The first parameter of each call is the caller, which is left out here. Contract:
 * each method refuses with `thread_not_found`, before any write, a thread that does not exist or that the caller may not access.
 */
export interface ThreadMethods {
  create(input: CreateInput): Thread;
  describe(): Thread;
  patch(change: PatchThread): Thread;
  /** Stops the run, and deletes all rows. `byParent`: the parent thread deletes it and needs no notification. */
  remove(byParent?: boolean): null;
  postMessage(input: PostMessage, key: RequestKey | null, setup?: InputSetup): PostedMessage;
  postRun(input: PostRun, key: RequestKey | null): Admission;
  /**
   * Returns once the stop is durable. `key` takes precedence: the idempotency key of the message that started the run. Without a message
   * with this key, nothing is stopped.
   */
  stop(runId: string | null, key?: string): { status: ThreadStatus };
  listMessages(query: ListMessages): MessagePage<Message>;
  getMessage(id: string): Message;
  patchMessage(id: string, change: PatchMessage): Message;
  deleteMessage(id: string): null;
  /** Describes what the next request to the model contains so far, on a branch or on the current one. */
  threadContext(query: ContextQuery): ThreadContext;
  /** Returns the branches, in the order in which they were made. */
  listBranches(query: ListBranches): Page<Branch>;
  /** Changes to another branch. */
  checkout(target: Checkout): CheckedOut;
  /** Returns the queued inputs, in the order in which they will begin. */
  listQueue(query: ListQueue): Page<QueuedInput>;
  patchQueued(id: string, change: PatchQueued): QueuedInput;
  /** Deletes a queued input. */
  deleteQueued(id: string): null;
  listRuns(query: ListRuns): Page<Run>;
  getRun(id: string): Run;
  listLogs(query: ListLogs): Page<Log>;
  getLog(id: string): Log;
  /** Executes a tool's function without a run (Standard Agents, invokeTool). */
  invokeTool(name: string, args: JsonObject): ToolResult;
  /** Sends the thread and the totals of all its runs to the catalog, the deployment's index of all threads, again. */
  relist(): Relisted;
  postToolResults(input: PostToolResults, setup?: InputSetup): PostedResults;
  /** Calls a method of the store of authorizations of a thread without an owner. */
  authorization(call: AuthorizationCall): unknown;
  /** Notes that the thread's owner has connected to a server, so that the thread does not show that this is required. */
  authorized(server: string): null;
  /** Returns the conversation, one page at a time. */
  readTranscript(cursor: string | null): TranscriptPage;
}

/** Calls the methods of one object by name. A refusal is a value. The promise rejects only if the object cannot be reached. */
export interface MethodCalls<Methods extends { [M in keyof Methods]: (...input: never[]) => unknown }> {
  call<M extends keyof Methods & string>(
    method: M,
    caller: Caller,
    ...input: Parameters<Methods[M]>
  ): Promise<Result<ReturnType<Methods[M]>>>;
}

/** The RPC methods of a thread's object for the Worker. */
export interface ThreadRpc extends MethodCalls<ThreadMethods>, HoldsLeases {
  /**
   * Uses a stream's ticket: returns true once for each nonce, then false. Used nonces are in memory until `expiresAt` (microseconds), so an
   * eviction within a ticket's 30 seconds loses them. Writes nothing, and also works without a thread.
   */
  redeemTicket(nonce: string, expiresAt: number): Promise<boolean>;
}

/**
 * A thread's object for the Worker. `fetch` accepts internal requests: a subscriber's socket (`subscribePath`), a search of messages
 * (`messageSearchPath`), a thread endpoint of a definition (`endpointPath`), files (`filesPath`), export and import (`exportPath`,
 * `importPath`). The Worker makes these requests, with the caller as JSON in `callerHeader`, so a client cannot set it.
 */
export interface ThreadStub extends ThreadRpc {
  fetch(request: Request): Promise<Response>;
}

/** Makes a new stub for every call, because a stub stays broken after its object was reset. */
export type ThreadDirectory = (threadId: string) => ThreadStub;

/**
 * Path of an upgrade request. Query: `after`, `types`, `depth`, `include_silent`, `until` as in the contract, and `run_id`
 * to receive only the events of one run, including those of its input message.
 */
export const subscribePath = "/subscribe";

/** Path prefix of a thread endpoint call: `/endpoint/<index of the route in the registry>`, with the client's body. */
export const endpointPath = "/endpoint/";

/**
 * Path prefix of a request about files. The paths are `/files/content`, `/files/search` and `/files/stats`. Method, query, body and
 * conditional headers are those of the client's request. The query of `/files/content` also has the file's `path`.
 */
export const filesPath = "/files/";

/**
 * Path of a search of the thread's messages, with the client's query. The search is a request and not a method, so that it is aborted when
 * the client disconnects.
 */
export const messageSearchPath = "/messages-search";

/** Path of an export, with the client's query. */
export const exportPath = "/export";

/** Path of an import. The body is the export. The request goes to the object whose thread id is in the export. */
export const importPath = "/import";

/** Query field of a subscription: the expiry of the reader's credentials, in microseconds since epoch. */
export const endField = "ends_at";

/** Header of an internal request: the `Caller` as JSON. */
export const callerHeader = "x-threadhold-caller";

const callerSchema = z.object({
  user: z.string().nullable(),
  admin: z.boolean(),
  lease: z.object({ id: z.string(), bridged: z.boolean() }).optional(),
});

/** The caller of an internal request, from the value of its header. A missing or invalid header gives no rights. Never throws. */
export function parseCaller(header: string | null): Caller {
  try {
    return callerSchema.parse(parseOwnJson(header ?? ""));
  } catch {
    return { user: null, admin: false };
  }
}

/** Header of an import with an idempotency key: the fingerprint of the request. A repeated request has the same one. */
export const creationHeader = "x-threadhold-creation";

/** Response header of an import: the number of imported inputs that wait for their runs. */
export const waitingHeader = "x-threadhold-waiting";

/** Header of an endpoint call: the URL of the client's request. */
export const urlHeader = "x-threadhold-url";

export function refused(code: ErrorCode, message: string): { ok: false; refusal: Refusal } {
  return { ok: false, refusal: { code, message } };
}
