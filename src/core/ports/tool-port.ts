// The port of a tool: what the loop needs to run its calls, whatever kind of definition the tool has.

import type { EventDraft } from "#contract/event.ts";
import type { Json, JsonObject } from "#contract/json.ts";

import type { AwaitedResult, ToolAnswer } from "../record/awaited.ts";
import type { MessageRecord } from "../record/record.ts";
import type { CallContext as StepCallContext } from "../tools/call-slot.ts";
import type { ToolSpec } from "./model-port.ts";
import type { CallExecutions } from "./tool-host.ts";

/** The output of a running tool: its progress, then its result. */
export type ToolPiece =
  | { type: "delta"; delta: string }
  | { type: "progress"; data: Json }
  | { type: "result"; result: ToolAnswer };

/** A call as its tool receives it. A call that runs again has the same `id`, which serves as an idempotency key. */
export interface CallContext {
  id: string;
  attempt: number;
  signal: AbortSignal;
  /** Absent for a call outside of a run. */
  executions?: CallExecutions;
}

/** A call of a tool that has no function: it runs a nested loop or waits for a result from outside. */
export interface NestedCall {
  id: string;
  args: JsonObject;
  /** The call's tool message, with status `started`. The messages of the nested loop are below it. */
  message: MessageRecord;
}

/** The event that ends a nested loop, without the call's result. The result is added when it is stored. */
export type NestedEnd = Omit<Extract<EventDraft, { type: "subagent_end" }>, "result" | "error">;

/** A result, or a suspension until `until` (microseconds). */
export type NestedOutcome =
  | { type: "answer"; answer: ToolAnswer; end?: NestedEnd }
  | { type: "suspend"; until: number };

/** Runs a call that is not a function: a loop in this thread or in another one, or a remote call. */
export interface NestedRunner {
  /** What is stored and emitted together with the call's start. */
  begin(call: NestedCall): { awaits?: AwaitedResult; events: EventDraft[] };
  /**
   * Runs the call, or continues it after a crash or a suspension. Contract: may be called again for the same call. Resolves soon after the
   * signal has fired.
   */
  run(call: NestedCall, context: StepCallContext): Promise<NestedOutcome>;
}

/** Which calls of a tool a person has to approve before they run (architecture §5.3). */
export interface ApprovalRule {
  /** Whether a call with these arguments needs an approval. Contract: if it rejects or takes too long, the call does not run. */
  needed(args: JsonObject): Promise<boolean>;
  /** The person who approves the call may change its arguments. */
  readonly editable: boolean;
  /** Milliseconds that a call waits for the decision. */
  readonly deadlineMs: number;
  /** Milliseconds that `needed` may take. */
  readonly timeoutMs: number;
}

/** The checked arguments, or the problem that a model reads. `isTooMuch`: the check needs more work than it may take, so it has no outcome. */
export type CheckedArguments = { ok: true; args: JsonObject } | { ok: false; problem: string; isTooMuch?: boolean };

/**
 * Contract: `run` yields one `result` piece at its end. If it throws, takes too long or yields an invalid result, the executor returns an
 * error result. `check` never throws.
 */
export interface ToolRunner {
  readonly spec: ToolSpec;
  /** The tool has no function: a client posts the results of its calls. */
  readonly remote: boolean;
  /** A child thread runs this tool's calls. */
  readonly elsewhere?: boolean;
  /** A call never runs at the same time as another call of its step. */
  readonly sequential: boolean;
  /** Names of tools whose calls in the same step run first. */
  readonly dependsOn: readonly string[];
  /** The model may order the calls of this tool by the argument `_after`, which `check` removes. */
  readonly ordered?: true;
  readonly timeoutMs: number;
  /** An interrupted call may run again, with the same id. */
  readonly idempotent: boolean;
  /**
   * Whether a call runs again on a new branch although an equal call of another branch is settled. Absent: no, the call takes the other
   * one's result. `idempotent` does not imply it.
   */
  readonly repeatable?: boolean | ((args: JsonObject) => boolean);
  /** If present, `nested` runs the calls and `run` is not used. */
  readonly nested?: NestedRunner;
  /** Present if calls may need an approval. */
  readonly approval?: ApprovalRule;
  /** The agent that the thread is handed to when a call of this tool succeeds. */
  readonly handoff?: string;
  check(args: JsonObject): CheckedArguments;
  run(args: JsonObject, call: CallContext): AsyncIterable<ToolPiece>;
  /** Finds out the result of an interrupted call; null if the call had no effect. */
  reconcile: ((callId: string, args: JsonObject) => Promise<ToolAnswer | null>) | null;
}

/**
 * Default members of a runner: its calls run in parallel and are not repeated after a crash. A runner whose `run` is used has to set
 * `timeoutMs`: 0 would end each call at once.
 */
export const runnerDefaults = {
  remote: false,
  sequential: false,
  dependsOn: [],
  timeoutMs: 0,
  idempotent: false,
  reconcile: null,
} satisfies Partial<ToolRunner>;
