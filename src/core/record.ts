// What a thread keeps: records as rows hold them. The wire's `Thread`, `Message` and `Run` are views of these, made by
// `view.ts`; nothing else turns one into the other.

import type { Part } from "#contract/content.ts";
import type { PlainEvent } from "#contract/event.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import type { LogType } from "#contract/log.ts";
import type { Role, Side, StopReason } from "#contract/message.ts";
import type { Limits, RunError, RunKind, RunStatus, RunTotals } from "#contract/run.ts";
import type { ThreadSetup } from "#contract/setup.ts";
import type { PendingCall, ThreadStatus } from "#contract/thread.ts";
import type { ToolResult } from "#contract/tool-result.ts";
import type { Usage } from "#contract/usage.ts";

import type { Approval, AwaitedAnswer, LimitRest, Work } from "./awaited.ts";
import type { AmountName, Bounds } from "./limits/amounts.ts";
import type { LimitReason } from "./limits/reached.ts";
import type { FileVersion } from "./ports/thread-files.ts";

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
  awaits?: AwaitedAnswer;
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
}

/** A run, queued or begun. */
export interface RunRecord {
  id: string;
  branch: string;
  status: RunStatus;
  kind: RunKind;
  agent_id: string;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
  /** Set while the run waits in the queue; null once its input has taken its place. */
  queued: QueuedInput | null;
  /** Position before the run's first message: what the run added comes after it. */
  after_position: string;
  /** The thread's counts at that place, so that a cut run's messages can be counted again. */
  counts_before: MessageCounts;
  steps: number;
  usage: Usage;
  cost: number | null;
  /** What each model cost, by its name. */
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
  /** A stop was asked for. */
  stop: boolean;
  /** The run rests until then (microseconds): for a back-off, or for an answer. Null while it is driven, and where it was cut. */
  resume_at: number | null;
  /** Where the run's own rested model request stood: its step, the model's place in the chain, the attempt to make next. */
  retry: { step: number; model: number; attempt: number } | null;
  /** The same for lines under calls, by the tool message they hang under, and when each may ask again (microseconds). */
  nested_retries?: Record<string, { step: number; model: number; attempt: number; at: number }>;
  /** Calls that definitions queued and that were not made yet. */
  calls?: QueuedCall[];
  /** The number of runs directly before this one that each left queued calls for the next one. Absent for none. */
  chain?: number;
  /** Child threads that are known to have begun: they need not be asked again. */
  begun_children?: string[];
  /** What child threads were given of the run's bounds, by their ids. */
  grants?: Record<string, Bounds>;
  /** Milliseconds that a run which is not over was driven, as of its last step or rest. */
  driven_ms?: number;
  /** Turns that ended in a run which is not over, as of its last halt. */
  turns?: number;
  /** USD of its own model calls that are known, of a run which is not over. */
  paid?: number;
  /** Set while the run rests at a limit. */
  at_limit?: LimitRest | null;
  /** What somebody raised since the run began: its values stand in `limits`. */
  raised?: AmountName[];
  /** What a run that is over did, its children included. */
  work?: Work;
  /** The turn a definition gave away: pending until a step's row with an id behind `at` is written. */
  forced?: { side: Side; at: string };
  /** A definition called `execution.stop()`. */
  stop_asked?: boolean;
  /** The side that speaks first, where the caller chose it. */
  side?: Side;
  /** No run after all: its input joined this one. */
  joined?: string;
  /** It began before runs that were admitted earlier: the lowest id among those. */
  overtook?: string;
  /** It began after runs that were admitted later: the highest id among those. */
  overtaken?: string;
  /** The definitions' `state.context`. */
  context: JsonObject;
  events: StoredEvent[];
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
export type Outgoing = OutgoingWord & { retry?: OutgoingRetry };

/** The content of such a message. */
export type OutgoingWord =
  /** A run of this child thread ended, or came to cost more: its parent counts that, and may wait for the result. */
  | { type: "result"; run_id: string; tool_executions: number }
  /** What this child thread waits for from outside has changed: whoever answers may do so at its parent. */
  | { type: "calls" }
  /** Nobody waits for that child thread any more. */
  | { type: "stop"; thread_id: string };

/** Set once telling it failed: how often, and when it is tried next (microseconds). */
interface OutgoingRetry {
  failures: number;
  at: number;
}

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
  /** Runs that wait, in order. Kept here so that a finished run knows its successor without a search. */
  queue: string[];
  /** So many at the head of the queue are to join the run that is active; when it ends they are inputs like the others. Says nothing at rest. */
  steers?: number;
  /** Highest id of a run that began before one that was admitted earlier. */
  overtaker?: string;
  /** After a stop the queue waits for the next input. */
  held: boolean;
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
  /** What other threads are still to be told. */
  outgoing?: Outgoing[];
  /** What the catalog is not known to have: the thread as it is now, and totals of runs that ended. */
  outbox: OutboxRecord;
  /** Files of messages that are not here yet: they go where their messages never come. */
  unclaimed?: FileVersion[];
  /** Sweeps of the files that failed in a row, and when the next may be tried (microseconds); null where the last did not. */
  unswept?: { failures: number; until: number } | null;
  /** Set for a thread that a client set up, or whose model requests have options of their own. The stored name is from its first dialect. */
  session?: ThreadSetup;
  /** Fingerprint of the request that created the thread, for a repeated create. */
  creation: string;
  /** When this life of the thread began, where it came out of an export: microseconds. */
  imported_at?: number;
  /** Number of its last `thread_updated` event. */
  updated_seq?: number;
}

/** What the catalog is still to be told. */
interface OutboxRecord {
  dirty: boolean;
  /** Runs whose totals it does not know. */
  runs: string[];
  /** Tries that failed in a row, and when the next is due (microseconds); absent where the last did not. */
  retry?: { failures: number; at: number };
}

/** What an `Idempotency-Key` was answered. */
export interface KeyRecord {
  key: string;
  fingerprint: string;
  answer: JsonObject;
  created_at: number;
}
