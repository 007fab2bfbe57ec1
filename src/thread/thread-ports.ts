// The interfaces by which the parts of a thread's object call parts that stand on a higher floor: its runs, its alarms, and the tool calls
// of definitions and clients.

import type { JsonObject } from "#contract/json.ts";
import type { LiveContext } from "#core/ports/run-ports.ts";
import type { WaitingCall } from "#core/record/awaited.ts";
import type { MessageRecord } from "#core/record/record.ts";
import type { ActiveRun } from "#core/record/run-record.ts";
import type { AttachmentRef, ExecutionState, ToolResult } from "#spec/index.ts";

/** The active run of a thread, as results of its calls change it (`run/driver.ts`). */
export interface ActiveRunPort {
  /** The active run, executed or suspended; null while the thread is idle. */
  readonly activeRun: ActiveRun | null;
  /** Resumes a suspended run now. Does nothing for an executed run, which reads the result itself. */
  resumeNow(runId: string | null): void;
  /** Publishes the waiting calls of a suspended run again, after a child thread changed the call in `row`. */
  showAwaited(row: MessageRecord): void;
}

/** A tool's result whose attachments are files of the thread. `value` is the value that the tool returned, for code of definitions. */
export type InvokedResult = ToolResult & { attachments?: AttachmentRef[]; value?: unknown };

/** The environment in which a definition's code runs: the run, the `state.context`, and the nesting depth. */
export interface DefinitionPlace {
  /** `state.execution` of the run; null if the code runs outside of a run. */
  execution: ExecutionState | null;
  context: LiveContext;
  /**
   * The nesting depth of definitions' writes and calls around this code: a hook for a message that a tool added is one deeper than the
   * tool.
   */
  depth: number;
}

/** Tool calls that definitions and clients make, in addition to those of models. */
export interface ThreadCalls {
  queue(name: string, args: JsonObject): void;
  /** `place` is the environment of the code that invokes the tool; null if a client invokes it. */
  invoke(name: string, args: JsonObject, place: DefinitionPlace | null): Promise<InvokedResult>;
}

/** When the object is awake (`background/wakeups.ts`): the heartbeat of a run, the background tasks, and the alarm. */
export interface ThreadWakeups {
  /** Sends messages to other threads. */
  readonly outbound: { run(): Promise<void> };
  /** The webhook for calls that begin to wait; null if the deployment has none. */
  readonly webhook: { add(calls: readonly WaitingCall[]): void } | null;
  /** Sets the alarm to `ms` milliseconds from now, unless it is set to an earlier time. */
  notAfter(ms: number): void;
  /** Sets the alarm to a time (microseconds), unless it is set to an earlier time. */
  wakeAt(at: number): void;
  startHeartbeat(): void;
  beat(): void;
  /** Runs pending tasks in the background. */
  runSoon(): void;
  updateCatalog(): Promise<void>;
  /** Sets the alarm for the end of a suspension (microseconds). */
  suspendUntil(until: number): void;
  /** Runs the tasks, and sets the alarm for the next time at which something is due. */
  runAndSleep(): Promise<void>;
}
