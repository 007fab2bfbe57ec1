// The records of a thread, as its rows store them; those of its runs are in `run-record.ts`. `view.ts` alone converts them to the `Thread`,
// `Message` and `Run` of the API.

import type { ToolResult } from "#contract/call-result.ts";
import type { Part } from "#contract/content.ts";
import type { PlainEvent } from "#contract/event.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import type { LogType } from "#contract/log-entry.ts";
import type { RunTotals } from "#contract/run.ts";
import type { ThreadSetup } from "#contract/setup.ts";
import type { Role, Side, StopReason } from "#contract/thread-message.ts";
import type { PendingCall, ThreadStatus } from "#contract/thread.ts";
import type { Usage } from "#contract/usage.ts";

import type { LimitReason } from "../limits/reached.ts";
import type { FileVersion } from "../ports/thread-file-port.ts";
import type { Approval, AwaitedResult, Work } from "./awaited.ts";

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
  /** The time of the last change of its text by an update. An update of the metadata alone does not set it. */
  edited_at?: number;
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
  /** The arguments that a hook changed before the call started. The answer keeps those that the model sent. */
  changed_args?: JsonObject;
  /** The tool message of the call of another branch whose result this call took. The tool did not run for this call. */
  reused_from?: string;
  /** The agent to which this settled call handed the thread over. */
  handoff?: string;
  /** The message joined an active run (steering). */
  steered?: true;
  /** The strategy that made this silent message, and the phase of its step: an instruction to the model, or the model's reasoning. */
  strategy?: { name: string; phase: string | null };
  /**
   * The steps, turns, time and cost of the child thread that worked on this settled call, as last reported. In an answer: the requests that
   * continued it, if there were any.
   */
  work?: Work;
  /** The number of the message's last `message_updated` event. */
  updated_seq?: number;
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
  /** The number of ancestor threads: parent, its parent, and so on. */
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
  /** The message that the title was made from; null if a caller changed the title. */
  titled_by?: string | null | undefined;
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
  /** The highest position of a message on any branch. */
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
  /** The servers that runs needed, and that the owner of the thread has not connected to. `run_id`: the last such run. */
  authorizations?: { server: string; since: number; run_id: string }[];
  /** The event of the last change to another branch, until a run or a message is stored, whose row then has the event. */
  branch_event?: StoredEvent | undefined;
  /** The number of the thread's last `thread_updated` event. */
  updated_seq?: number;
  /** The projections of compacted conversations, by side and prompt: what requests contain of each. Absent if none was compacted. */
  projections?: Record<string, StoredProjection>;
  /** Set when the deletion of the thread begins, and never removed. From then on the thread does not exist for its callers. */
  deletion?: DeletionRecord;
}

/** A deletion that has begun. It ends with the thread's rows. */
export interface DeletionRecord {
  /** When it began (microseconds). A run that the deletion ended counts as ended at this time, also if the deletion is repeated. */
  at: number;
  /** Set if the parent thread deletes this thread: the parent is not notified. */
  by_parent?: true;
  /** Set after an attempt that did not delete everything. */
  retry?: RetryState;
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
  /** The calls that began to wait and that the deployment's webhook was not notified of yet. */
  waiting?: WaitingNotice;
}

/** A delivery of the webhook for calls that began to wait. */
export interface WaitingNotice {
  /** The same for every attempt. A notice to which calls are added gets a new id. */
  id: string;
  /** Keys of the calls, from `waitingKey`. */
  calls: string[];
  /** Set after a failed attempt. */
  retry?: RetryState;
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

/** A projection with positions in place of indexes. */
export interface StoredProjection {
  /** Ids of the messages at the beginning that are sent although later ones are dropped, and of the pinned user message. */
  head: string[];
  pinned: string | null;
  /**
   * The position of the first message that is not dropped. The other positions correspond to the indexes of `Projection` in the same way.
   */
  dropped: string;
  essence: string;
  shortened: string;
  lines: number;
  cut: { before: string; tokens: number } | null;
  files: string;
  count: number;
  summary: string | null;
}
