// The records of a thread, as its rows store them. `view.ts` alone converts them to the `Thread`, `Message` and `Run` of the API.

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

/** Opaque data that later requests send back to the provider that produced it, and to no other: for example thinking signatures. */
export interface ProviderData {
  provider: string;
  data: JsonObject;
}

/** A part with the data that later requests send back to its provider. */
export type StoredPart = Part & { provider_data?: ProviderData };

/** An event as a row stores it. Data that other rows contain is omitted, and replay adds it: `thread_id`, texts of messages, results. */
export type StoredEvent = { seq: number; at: number; type: PlainEvent["type"] } & {
  [field: string]: Json;
};

/** A message. `position` orders the messages of a branch; it is set when the message is added to the branch. */
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
  /** The tool ledger: a `started` call runs, waits or was interrupted by a crash; a `complete` call is settled. */
  status: "started" | "complete";
  stop_reason: StopReason | null;
  /** The provider's explanation of its stop reason. */
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
  /** Why a partial answer is incomplete. A run that resumes after this answer ends with the same error or limit. */
  failure?: { kind: string; message: string; limit?: LimitReason };
  /** What a started call waits for: a client, a person's approval or a child thread. Absent if the call runs in this thread. */
  awaits?: AwaitedResult;
  /** The child thread that worked on this settled call. `usage` is null until the child thread has reported its usage. */
  child?: string;
  /** Fingerprint of the client's answer to this call. It distinguishes a repeated answer from a different one. */
  answered?: string;
  /** The decision of a person about a call that needed an approval. It stays when the approved call has run. */
  approval?: Approval;
  /** The agent to which this settled call handed the thread over. */
  handoff?: string;
  /** The message joined an active run (steering). */
  steered?: true;
  /** The steps, turns, time and cost of the child thread that worked on this settled call, as last reported. */
  work?: Work;
  /** The number of the message's last `message_updated` event. */
  updated_seq?: number;
}

/** A tool call that a definition queued. It is made before the next request to the model. */
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
  /** The purpose of the input: to join the active run, or to end that run and be the next one. Absent for an input that only waits. */
  when?: "steer" | "interrupt";
  /** Files that were sent with the message. They are deleted if the input is removed from the queue. */
  files?: FileVersion[];
  /** Calls that definitions queued and that the run makes first. */
  calls?: QueuedCall[];
  /** The number of runs directly before this one that each left queued calls for the next one. Absent for none. */
  chain?: number;
}

/** A run. Each state has its own type, so that the fields of a state exist in that state only. */
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
  /** The queued input; null once its message was added to the branch. */
  queued: QueuedInput | null;
  /** The state that an active run needs until it ends; null for other runs. */
  progress: RunProgress | null;
  /** Position before the run's first message: the run's messages come after it. */
  after_position: string;
  /** The thread's counts at that position. After a crash the run's messages are counted again and added to them. */
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
  /** The deployment's version when the run began. */
  version: string | null;
  /** A stop was requested. */
  stop: boolean;
  /** The steps, turns, time and cost of an ended run, with those of its child threads. */
  work?: Work;
  /** The side (one of the agent's two models, `a` or `b`) that answers first, if the caller chose it. */
  side?: Side;
  /** The run that this queued input joined (steering). */
  joined?: string;
  /** The lowest id of the runs that were admitted before this run but began after it. Absent if there are none. */
  overtook?: string;
  /** The highest id of the runs that were admitted after this run but began before it. Absent if there are none. */
  overtaken?: string;
  events: StoredEvent[];
}

/** A run that has not ended. */
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

/** A run that has ended. `started_at` is null for a run that was removed from the queue. */
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

/** How long a run is suspended, and why. */
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
  /** The limit that this execution reached, or at which the run was last suspended. A new suspension there keeps its id and deadline. */
  reached_limit: LimitSuspension | null;
  /** The main loop's model request to retry: its step, its model's index (0, then the fallbacks), the number of the next attempt. */
  retry: { step: number; model: number; attempt: number } | null;
  /** The nested loops' model requests to retry, by the id of the tool message above the loop. `at`: not before then (microseconds). */
  nested_retries?: Record<string, { step: number; model: number; attempt: number; at: number }>;
  /** Calls that definitions queued and that were not made yet. */
  calls?: QueuedCall[];
  /** The number of runs directly before this one that each left queued calls for the next one. Absent for none. */
  chain?: number;
  /** Child threads that are known to have begun. The request to begin is not sent to them again. */
  begun_children?: string[];
  /** The shares of the run's bounds that child threads received, by the child's id. */
  grants?: Record<string, Bounds>;
  /** Milliseconds of execution, as of the last step or suspension. */
  driven_ms?: number;
  /** Turns that ended before the run was last suspended. */
  turns?: number;
  /** USD of the run's own model calls, as far as prices are known. */
  paid?: number;
  /** The limits that were raised since the run began: their values are in `limits`. */
  raised?: AmountName[];
  /** The side (`a` or `b`) that a definition chose for the next turn. It applies until a step's row with an id after `at` is written. */
  forced?: { side: Side; at: string };
  /** A definition called `execution.stop()`. */
  stop_asked?: boolean;
  /** The definitions' `state.context`. */
  context: JsonObject;
}

/** A log row: a model attempt with its step, or a problem. */
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

/** The number of messages of the current branch by depth, as `[shown, silent]`, so that totals are not counted from rows. */
export type MessageCounts = Record<string, [shown: number, silent: number]>;

/** The tool call of the parent thread for which this child thread works. */
export interface ThreadParent {
  thread_id: string;
  run_id: string;
  tool_call_id: string;
  /** The id of that call's tool message. */
  message_id: string;
  /** The number of threads above this one. */
  depth: number;
}

/** A message to another thread, stored until that thread has received it. */
export type OutboundMessage = OutboundContent & { retry?: RetryState };

/** The content of a message to another thread. */
export type OutboundContent =
  /** From a child thread to its parent: a run ended, or its cost has grown. The parent counts the usage, and may wait for the result. */
  | { type: "result"; run_id: string; tool_executions: number }
  /** From a child thread to its parent: the calls that wait for a client have changed. Clients may answer them at the parent thread. */
  | { type: "calls" }
  /** From a parent thread to its child thread `thread_id`: the result is not needed any more. */
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
  /** The steps, turns, time and cost of all ended runs of the thread. */
  work?: Work;
  /** What the active run has used up to its last step; stored with the next write of the row. Null if no run is active. */
  active_totals?: RunTotals | null;
  active_run_id: string | null;
  queue: QueueRecord;
  branch: string;
  /** Number of the last event that is known to have been sent. Exact while no run is active. */
  last_seq: number;
  /** The highest event number that may have been used. */
  seq_reserved: number;
  last_position: string;
  /** Text shown in lists. */
  last_message: string | null;
  parent: ThreadParent | null;
  /** Calls that wait for a client or a person while the active run is suspended. */
  pending?: PendingCall[];
  /** Child threads that this thread started. They are deleted with it. */
  children?: string[];
  /** The client's setup of the thread: system prompt, tools and options. */
  setup?: ThreadSetup;
  /** The state of work outside of runs, which is repeated after a crash. */
  background: BackgroundRecord;
  /** Fingerprint of the request that created the thread. A repeated request has the same one. */
  creation: string;
  /** When the thread was imported (microseconds). Absent for a thread that was created in this deployment. */
  imported_at?: number;
  /** The number of the thread's last `thread_updated` event. */
  updated_seq?: number;
}

/** The queued runs. They are in the thread's row, so that the next run is found without a search when a run ends. */
export interface QueueRecord {
  /** Ids of the queued runs, in the order in which they will begin. */
  run_ids: string[];
  /**
   * The number of queued inputs, from the first on, that are to join the active run. If the run ends before they join, they begin runs like
   * the others. Ignored without an active run.
   */
  steering: number;
  /** A stop paused the queue: no run begins until the next input. */
  paused: boolean;
  /** The highest id of a run that began before a run that was admitted earlier. Replay uses it, because it reads runs by their ids. */
  overtaker?: string;
}

/** Consecutive failures, and the time of the next attempt (microseconds). Stored, because the object may be evicted before that. */
export interface RetryState {
  failures: number;
  at: number;
}

/** The stored state of a thread's background work. An absent field means that there is no such work to do. */
export interface BackgroundRecord {
  catalog: CatalogMark;
  /** Messages to other threads that were not received yet. */
  outbound?: OutboundMessage[];
  /** Files of messages that are not admitted yet. They are deleted if their message is not admitted. */
  attachments?: FileVersion[];
  /** Set after a failed sweep of deleted files, until one succeeds. */
  sweep?: RetryState;
}

/** The data that the catalog (the deployment's index of all threads) may lack: the thread's current entry, and totals of ended runs. */
interface CatalogMark {
  dirty: boolean;
  /** Ids of the ended runs whose totals were perhaps not sent to the catalog (the deployment's index of all threads). */
  runs: string[];
  /** Set after a failed attempt to send, until one succeeds. */
  retry?: RetryState;
}

/** The stored answer to a request with an `Idempotency-Key`. */
export interface KeyRecord {
  key: string;
  fingerprint: string;
  answer: JsonObject;
  created_at: number;
}
