// A tool as the loop runs it, whatever it was made from.

import type { EventDraft } from "#contract/event.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import type { ToolResult } from "#contract/tool-result.ts";

import type { AwaitedAnswer } from "../awaited.ts";
import type { MessageRecord } from "../record.ts";
import type { CallContext as StepCallContext } from "../tools/call-slot.ts";
import type { ToolSpec } from "./model-port.ts";

/**
 * What a tool answers: the public result, texts of any length, attachments as the tool gave them (Standard Agents,
 * ToolAttachment and AttachmentRef, unchecked), and a stack for the log alone.
 */
export type ToolAnswer = Omit<ToolResult, "attachments"> & {
  stack?: string;
  attachments?: readonly unknown[] | undefined;
};

/** What a running tool may say before its result. */
export type ToolPiece =
  | { type: "delta"; delta: string }
  | { type: "progress"; data: Json }
  | { type: "result"; result: ToolAnswer };

/** One call as its tool sees it. `id` stays the same when the call is run again: it is the idempotency key. */
export interface CallContext {
  id: string;
  attempt: number;
  signal: AbortSignal;
}

/** A call that is answered by more than a function. */
export interface NestedCall {
  id: string;
  args: JsonObject;
  /** The call's tool message, recorded as started. Messages under it are the nested line. */
  message: MessageRecord;
}

/** How a loop of its own ended, for its reader: what the call's result says is added when that is known. */
export type NestedEnd = Omit<Extract<EventDraft, { type: "subagent_end" }>, "result" | "error">;

/** What came of it: an answer, or a rest until then (microseconds). */
export type NestedOutcome =
  | { type: "answer"; answer: ToolAnswer; end?: NestedEnd }
  | { type: "suspend"; until: number };

/** A call that runs a loop of its own, in this thread or in another. */
export interface NestedRunner {
  /** What is recorded and told together with the call's start. */
  begin(call: NestedCall): { awaits?: AwaitedAnswer; events: EventDraft[] };
  /**
   * Runs it, or goes on with it after a crash or a rest. Contract: may be called again for one call, also with the signal
   * fired; then it answers soon.
   */
  run(call: NestedCall, context: StepCallContext): Promise<NestedOutcome>;
}

/** When calls of a tool need a person's consent before they run (architecture §5.3). */
export interface ApprovalRule {
  /** Whether this one does. Contract: may reject and hang; then the call does not run. */
  needed(args: JsonObject): Promise<boolean>;
  /** Whoever consents may change the arguments. */
  readonly editable: boolean;
  /** Milliseconds a call waits for the decision. */
  readonly deadlineMs: number;
  /** Milliseconds that `needed` may take. */
  readonly timeoutMs: number;
}

/** Arguments, checked. */
export type CheckedArguments = { ok: true; args: JsonObject } | { ok: false; problem: string };

/**
 * Contract: `run` may throw, hang and return nonsense; the executor turns all of that into an error result. It ends with
 * one `result` piece. `check` never throws.
 */
export interface ToolRunner {
  readonly spec: ToolSpec;
  /** A tool without a function: somebody else answers its calls. */
  readonly remote: boolean;
  /** Another thread works on its calls. */
  readonly elsewhere?: boolean;
  /** Never at the same time as another call of its step. */
  readonly sequential: boolean;
  /** Names of tools whose calls of the same step come first. */
  readonly dependsOn: readonly string[];
  readonly timeoutMs: number;
  /** A call that was cut may be made again with the same id. */
  readonly idempotent: boolean;
  /** Set for a call that runs a loop of its own: `run` is then not used. */
  readonly nested?: NestedRunner;
  /** Set where calls may need consent. */
  readonly approval?: ApprovalRule;
  /** The agent that the thread goes to when a call of this tool succeeds. */
  readonly handoff?: string;
  check(args: JsonObject): CheckedArguments;
  run(args: JsonObject, call: CallContext): AsyncIterable<ToolPiece>;
  /** Asks the outside world what became of a cut call; null when it was not done. */
  reconcile: ((callId: string, args: JsonObject) => Promise<ToolAnswer | null>) | null;
}

/** The members of a runner whose calls run in parallel, take no time and are not repeated after a crash. */
export const runnerDefaults = {
  remote: false,
  sequential: false,
  dependsOn: [],
  timeoutMs: 0,
  idempotent: false,
  reconcile: null,
} satisfies Partial<ToolRunner>;
