// A call of a step until it has its result: its state, and the types that the files of this folder share.

import type { ToolCallPart } from "#contract/content.ts";

import type { RunPorts } from "../ports/run-ports.ts";
import type { NumberedPlan } from "../ports/step-port.ts";
import type { CallOutcome } from "../ports/strategy-port.ts";
import type { ApprovalRule, ToolRunner } from "../ports/tool-port.ts";
import type { AwaitedApproval, ToolAnswer } from "../record/awaited.ts";
import type { MessageRecord } from "../record/record.ts";
import type { RowEvents } from "../step/row-events.ts";

/** A call without a result. */
export interface CallSlot {
  call: ToolCallPart;
  /** Id and position of the tool message. They are reserved in call order before the first call of the step runs. */
  id: string;
  position: string;
  /** The tool message of a call that was started before: a crash interrupted the call, or it waits. */
  startedRow: MessageRecord | null;
  runner: ToolRunner | undefined;
  /** For a new call: the approval rule if the call needs an approval, or the error result if the rule could not be evaluated. */
  approval?: { rule: ApprovalRule } | { refused: ToolAnswer } | undefined;
}

/** The part of a step's plan that its calls need. */
export type CallPlan = Pick<NumberedPlan, "step" | "side" | "depth" | "tools" | "toolMode" | "warnings">;

/** The step of a call, and the ports that the call uses. */
export interface CallContext {
  ports: RunPorts;
  plan: CallPlan;
  events: RowEvents;
  signal: AbortSignal;
  /** A steering message skips calls that have not started (decision 28: queue, steer, interrupt). */
  maySkip?: boolean;
}

/** A call with its result, and the fields that its log entry needs. */
export interface SettledCall extends CallOutcome {
  message: MessageRecord;
  duration_ms: number;
  stack: string | undefined;
}

/** A call of a step whose result is stored. */
export type SettledSlot = CallSlot & { settled: SettledCall };

/** A call without a result: its result comes from outside, or it depends on such a call. */
interface WaitingCall {
  /** The deadline of the result in microseconds; null for a call that has not started. */
  waits_until: number | null;
}

/** The state of a call after an execution of the loop. */
export type CallState = SettledCall | WaitingCall;

/** True for a call with its result. */
export function isSettledCall(call: CallState): call is SettledCall {
  return "message" in call;
}

/** The approval that a call's row waits for; null if it waits for none. */
export function awaitedApproval(row: MessageRecord | null): AwaitedApproval | null {
  return row?.awaits?.kind === "approval" ? row.awaits : null;
}

/** Whether a person approved the call, and the call has not run yet. */
export function isApproved(row: MessageRecord | null): boolean {
  return awaitedApproval(row)?.delivered?.approved === true;
}
