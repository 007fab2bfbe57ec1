// The records of a thread's runs, as their rows store them: queued, executed, suspended, ended or joined to another run. `view.ts` alone
// converts them to the `Run` of the API.

import type { Json, JsonObject } from "#contract/json.ts";
import type { Repeat } from "#contract/run-route.ts";
import type { Limits, RunError, RunKind, RunStatus } from "#contract/run.ts";
import type { Side } from "#contract/thread-message.ts";
import type { Usage } from "#contract/usage.ts";

import type { AmountName, Bounds } from "../limits/amounts.ts";
import type { FileVersion } from "../ports/thread-file-port.ts";
import type { LimitSuspension, Work } from "./awaited.ts";
import type { MessageCounts, MessageRecord, StoredEvent } from "./record.ts";

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
  /** The branch that the run makes when it begins: its parent, and the position of the last message that they share; "" for none. */
  branch?: { parent: string; position: string };
  /** Files that were sent with the message. They are deleted if the input is removed from the queue. */
  files?: FileVersion[];
  /** Calls that definitions queued and that the run makes first. */
  calls?: QueuedCall[];
  /**
   * The number of consecutive runs directly before this one that ended before all tool calls queued by definitions were made, and passed
   * the remaining calls to the next run. Absent if there are none.
   */
  chain?: number;
  /** The W3C `traceparent` of the request, if the deployment exports traces. */
  trace?: string;
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
  /** The calls that the run may repeat although the part that its branch leaves behind has their results. Absent: none. */
  repeat?: Repeat;
  /** JSON Schema of the answer that the run's request asks for. Absent: the prompt decides. */
  structure?: JsonObject;
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
  /** The checked data of a structured answer. Absent without one. */
  data?: Json;
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
  data?: never;
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
  /**
   * The limit that this execution reached, or at which the run was last suspended. A new suspension at the same limit keeps the id and the
   * deadline.
   */
  reached_limit: LimitSuspension | null;
  /** The main loop's model request to retry: its step, its model's index (0, then the fallbacks), the number of the next attempt. */
  retry: { step: number; model: number; attempt: number } | null;
  /** The nested loops' model requests to retry, by the id of the tool message above the loop. `at`: not before then (microseconds). */
  nested_retries?: Record<string, { step: number; model: number; attempt: number; at: number }>;
  /** Calls that definitions queued and that were not made yet. */
  calls?: QueuedCall[];
  /**
   * The number of consecutive runs directly before this one that ended before all tool calls queued by definitions were made, and passed
   * the remaining calls to the next run. Absent if there are none.
   */
  chain?: number;
  /** The W3C `traceparent` of the request that sent the input. */
  trace?: string;
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
  /** The number of model requests that are no steps: of the run's tools, and those that continued an answer. Absent: none. */
  requests?: number;
  /** The limits that were raised since the run began: their values are in `limits`. */
  raised?: AmountName[];
  /** The side (`a` or `b`) that a definition chose for the next turn. It applies until a step's row with an id after `at` is written. */
  forced?: { side: Side; at: string };
  /** A definition called `execution.stop()`. */
  stop_asked?: boolean;
  /** The definitions' `state.context`. */
  context: JsonObject;
}
