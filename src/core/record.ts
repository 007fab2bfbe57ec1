// What a thread keeps: records as rows hold them. The wire's `Thread`, `Message` and `Run` are views of these, made by
// `view.ts`; nothing else turns one into the other.

import type { ToolResult } from "#contract/call-result.ts";
import type { Part } from "#contract/content.ts";
import type { PlainEvent } from "#contract/event.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import type { LogType } from "#contract/log-entry.ts";
import type { Limits, RunError, RunKind, RunStatus, RunTotals } from "#contract/run.ts";
import type { ThreadSetup } from "#contract/setup.ts";
import type { Role, Side, StopReason } from "#contract/thread-message.ts";
import type { PendingCall, ThreadStatus } from "#contract/thread.ts";
import type { Usage } from "#contract/usage.ts";

import type { Approval, AwaitedResult, LimitSuspension, Work } from "./awaited.ts";
import type { AmountName, Bounds } from "./limits/amounts.ts";
import type { LimitReason } from "./limits/reached.ts";
import type { FileVersion } from "./ports/thread-file-port.ts";

/** Opaque data that goes back to the provider that made it, and to no other: thinking signatures and the like. */
export interface ProviderData {
  provider: string;
  data: JsonObject;
}

/** A part with what its provider wants to see again. */
export type StoredPart = Part & { provider_data?: ProviderData };

/**
 * An event as a row carries it: without what the rows say anyway (`thread_id`, a message's body, a block's text, a
 * result), which replay puts back.
 */
export type StoredEvent = { seq: number; at: number; type: PlainEvent["type"] } & {
  [field: string]: Json;
};

/** A message. `position` orders the messages of a branch and is set when the message takes its place. */
export interface MessageRecord {
  id: string;
  branch: string;
  position: string;
  role: Role;
  parts: StoredPart[];
  /** Tool name of a tool message; kind of an extension message. */
  name: string | null;
  tool_call_id: string | null;
  parent_id: string | null;
  depth: number;
  silent: boolean;
  metadata: JsonObject;
  run_id: string | null;
  step: number | null;
  side: Side | null;
  /** The tool ledger: `started` is a call that runs or was cut, `complete` one that is settled. */
  status: "started" | "complete";
  stop_reason: StopReason | null;
  /** What the provider added to its stop reason. */
  stop_detail?: string;
  /** Set on an answer whose provider sent content that is not among the parts; such an answer is not blank. */
  has_other_content?: true;
  model: string | null;
  usage: Usage | null;
  cost: number | null;
  result: ToolResult | null;
  created_at: number;
  updated_at: number;
  events: StoredEvent[];
  /** User id of the author, if it is not the thread's own user; null for an administrator without a user id. */
  author?: string | null;
  /** Why a partial answer came to no end, so that a run that is taken up behind it ends with the same words. */
  failure?: { kind: string; message: string; limit?: LimitReason };
  /** A started call whose answer comes from elsewhere. */
  awaits?: AwaitedResult;
  /** A settled call that a child thread worked on: the child. Until it told what that cost, `usage` is null. */
  child?: string;
  /** A call that a client answered: what tells the same answer, sent again, from another one. */
  answered?: string;
  /** What a person decided about a call that asked for consent; a call that runs, or ran, on it has it. */
  approval?: Approval;
  /** A settled call that handed the thread over: the agent it goes to. */
  handoff?: string;
  /** It joined a run that was under way. */
  steered?: true;
  /** Of a settled call that a child thread worked on: what the child did, as far as it told. */
  work?: Work;
  /** Number of its last `message_updated` event. */
  updated_seq?: number;
}

/** A call that a definition asked for: made before the model is asked again. */
export interface QueuedCall {
  id: string;
  name: string;
  arguments: JsonObject;
  /** A run started with this call or tried to make it. If that run fails, no other run gets the call. */
  tried?: true;
}

/** Input that waits for its run. */
export interface QueuedInput {
  message: MessageRecord | null;
  /** What it was said for: to join the run that was active then, or to end it and be the next. Absent for neither. */
  when?: "steer" | "interrupt";
  /** Files that came with the message, and go when it is taken out. */
  files?: FileVersion[];
  /** Calls that definitions queued and that the run makes first. */
  calls?: QueuedCall[];
  /** The number of runs directly before this one that each left queued calls for the next one. Absent for none. */
  chain?: number;
}

/** A run. Each state has a type of its own, so that a state's fields exist in that state alone. */
export type RunRecord = QueuedRun | ActiveRun | EndedRun | JoinedRun;

/** The run that the thread works on: executed or suspended. A thread has at most one. */
export type ActiveRun = ExecutedRun | SuspendedRun;

/** Every field of a run, with the values of all states. */
interface RunFields {
  id: string;
  branch: string;
  status: RunStatus;
  kind: RunKind;
  agent_id: string;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
  /** The input, while the run waits in the queue; null once its message has its position. */
  queued: QueuedInput | null;
  /** What an active run needs until its end; null for any other. */
  progress: RunProgress | null;
  /** Position before the run's first message: the run's messages come after it. */
  after_position: string;
  /** The thread's counts at that position: after a crash the run's messages are counted on top of them. */
  counts_before: MessageCounts;
  steps: number;
  usage: Usage;
  cost: number | null;
  /** Usage and cost by the model's name. */
  spent: Record<string, { usage: Usage; cost: number | null }>;
  text: string | null;
  reason: string | null;
  outcome: Json;
  error: RunError | null;
  message_ids: string[];
  limits: Limits | null;
  parent_run_id: string | null;
  /** Version of the deployment that began it. */
  version: string | null;
  /** A stop was requested. */
  stop: boolean;
  /** What an ended run did, its children included. */
  work?: Work;
  /** The side that answers first, if the caller chose it. */
  side?: Side;
  /** The run that took this queued input in (steering). */
  joined?: string;
  /** It began before runs that were admitted earlier: the lowest id among those. */
  overtook?: string;
  /** It began after runs that were admitted later: the highest id among those. */
  overtaken?: string;
  events: StoredEvent[];
}

/** A run without an end. */
interface UnendedRun extends RunFields {
  ended_at: null;
  text: null;
  reason: null;
  outcome: null;
  error: null;
  message_ids: [];
  work?: never;
  joined?: never;
}

/** A run that waits in the queue. */
export interface QueuedRun extends UnendedRun {
  status: "queued";
  started_at: null;
  queued: QueuedInput;
  progress: null;
  stop: false;
  overtook?: never;
  overtaken?: never;
}

/** A run that is executed, or was until a crash interrupted it. */
export interface ExecutedRun extends UnendedRun {
  status: "running";
  started_at: number;
  queued: null;
  progress: RunProgress & { suspension: null };
}

/** A run that waits for a time, a client or another thread. It is `awaiting_tool_execution` if a client has to do something. */
export interface SuspendedRun extends UnendedRun {
  status: "running" | "awaiting_tool_execution";
  started_at: number;
  queued: null;
  progress: RunProgress & { suspension: Suspension; reached_limit: null };
}

/** A run that is over. `started_at` is null for one that was taken out of the queue. */
export interface EndedRun extends RunFields {
  status: "completed" | "stopped" | "limit" | "error";
  ended_at: number;
  queued: null;
  progress: null;
  joined?: never;
}

/** An input whose message joined the active run in place of beginning a run of its own. */
export interface JoinedRun extends RunFields {
  status: "completed";
  started_at: null;
  ended_at: null;
  queued: null;
  progress: null;
  work?: never;
  joined: string;
}

/** Until when a run is suspended. */
interface Suspension {
  /** The run resumes at this time (microseconds): after a back-off or at a result's deadline. */
  resume_at: number;
  /** The limit that the run is suspended at; null if it is suspended for another reason. */
  limit: LimitSuspension | null;
}

/** The state of an active run. */
export interface RunProgress {
  /** Null while the run is executed, or was interrupted by a crash. */
  suspension: Suspension | null;
  /** The limit that this execution reached, or the run was suspended at before it: a suspension there keeps its id and its deadline. */
  reached_limit: LimitSuspension | null;
  /** The suspended model request of the run's own scope: its step, the model's index in the chain, the next attempt. */
  retry: { step: number; model: number; attempt: number } | null;
  /** The same for nested scopes, by the tool message they belong to, with the time of the next attempt (microseconds). */
  nested_retries?: Record<string, { step: number; model: number; attempt: number; at: number }>;
  /** Calls that definitions queued and that were not made yet. */
  calls?: QueuedCall[];
  /** As in `QueuedInput`. */
  chain?: number;
  /** Child threads that are known to have begun: they are not asked again. */
  begun_children?: string[];
  /** The shares of the run's bounds that child threads received, by their ids. */
  grants?: Record<string, Bounds>;
  /** Milliseconds of execution, as of the last step or suspension. */
  driven_ms?: number;
  /** Turns that ended, as of the last halt. */
  turns?: number;
  /** USD of the run's own model calls, as far as prices are known. */
  paid?: number;
  /** The limits that were raised since the run began: their values are in `limits`. */
  raised?: AmountName[];
  /** The turn that a definition gave to a side: pending until a step's row with an id after `at` is written. */
  forced?: { side: Side; at: string };
  /** A definition called `execution.stop()`. */
  stop_asked?: boolean;
  /** The definitions' `state.context`. */
  context: JsonObject;
}

/** A log row: a model attempt with its step, or something that went wrong. */
export interface LogRecord {
  id: string;
  type: LogType;
  run_id: string | null;
  parent_id: string | null;
  depth: number;
  created_at: number;
  data: JsonObject;
  events: StoredEvent[];
}

/** Messages of the current branch by depth, for totals that need no counting: `[shown, silent]`. */
export type MessageCounts = Record<string, [shown: number, silent: number]>;

/** The call of another thread that this thread answers. */
export interface ThreadParent {
  thread_id: string;
  run_id: string;
  tool_call_id: string;
  /** The tool message of that call. */
  message_id: string;
  /** Threads above this one. */
  depth: number;
}

/** A message to another thread, stored until that thread has received it. */
export type OutboundMessage = OutboundContent & { retry?: RetryState };

/** The content of such a message. */
export type OutboundContent =
  /** A run of this child thread ended, or came to cost more: its parent counts that, and may wait for the result. */
  | { type: "result"; run_id: string; tool_executions: number }
  /** The calls that this child thread waits for have changed: a client may answer them at the parent. */
  | { type: "calls" }
  /** That child thread is not needed any more. */
  | { type: "stop"; thread_id: string };

/** The thread's own row. */
export interface ThreadRecord {
  id: string;
  agent_id: string;
  origin_agent_id: string;
  user_id: string | null;
  title: string | null;
  tags: string[];
  metadata: JsonObject;
  status: ThreadStatus;
  created_at: number;
  updated_at: number;
  counts: MessageCounts;
  usage: Usage;
  cost: number | null;
  /** What runs that are over did. */
  work?: Work;
  /** What the active run has used up to its last step; stored with the next write of the row. Null if no run is active. */
  active_totals?: RunTotals | null;
  active_run_id: string | null;
  queue: QueueRecord;
  branch: string;
  /** Last event number that is known to be told; exact while no run is active. */
  last_seq: number;
  /** Numbers up to here may have been used. */
  seq_reserved: number;
  last_position: string;
  /** Text shown in lists. */
  last_message: string | null;
  parent: ThreadParent | null;
  /** Calls that wait for somebody outside while the active run rests. */
  pending?: PendingCall[];
  /** Child threads that were started, deleted with this one. */
  children?: string[];
  /** What a client set the thread up with. */
  setup?: ThreadSetup;
  /** Work that is done besides runs, and repeated after a crash. */
  background: BackgroundRecord;
  /** Fingerprint of the request that created the thread, for a repeated create. */
  creation: string;
  /** When this life of the thread began, where it came out of an export: microseconds. */
  imported_at?: number;
  /** Number of its last `thread_updated` event. */
  updated_seq?: number;
}

/** The runs that wait. They are in the thread's row, so that a run that ends knows the next one without a search. */
export interface QueueRecord {
  /** In the order in which they begin. */
  run_ids: string[];
  /** So many of the first ones are to join the active run. When it ends they begin runs like the others; without one the number means nothing. */
  steering: number;
  /** A stop paused the queue: no run begins until the next input. */
  paused: boolean;
  /** Highest id of a run that began before one that was admitted earlier. */
  overtaker?: string;
}

/** Failures in a row, and when the next attempt is due (microseconds). Stored, because the object is gone by the next attempt. */
export interface RetryState {
  failures: number;
  at: number;
}

/** The stored state of a thread's background work. An absent field is nothing to do. */
export interface BackgroundRecord {
  catalog: CatalogMark;
  /** Messages to other threads that were not received yet. */
  outbound?: OutboundMessage[];
  /** Files of messages that are not admitted yet. They are deleted if the message never is. */
  attachments?: FileVersion[];
  /** Set while the sweep of deleted files fails. */
  sweep?: RetryState;
}

/** What the catalog may lack: the thread's current entry, and totals of ended runs. */
interface CatalogMark {
  dirty: boolean;
  /** Runs whose totals it may lack. */
  runs: string[];
  /** Set while sending fails. */
  retry?: RetryState;
}

/** What an `Idempotency-Key` was answered. */
export interface KeyRecord {
  key: string;
  fingerprint: string;
  answer: JsonObject;
  created_at: number;
}
