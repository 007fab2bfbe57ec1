// A call of a step on its way to its result.

import type { ToolCallPart } from "#contract/content.ts";

import type { EventList } from "../event-list.ts";
import type { RunPorts } from "../ports/run-ports.ts";
import type { NumberedPlan } from "../ports/step-port.ts";
import type { CallOutcome } from "../ports/strategy.ts";
import type { ApprovalRule, ToolAnswer, ToolRunner } from "../ports/tool-port.ts";
import type { MessageRecord } from "../record.ts";

/** A call with the place its result will take. */
export interface CallSlot {
  call: ToolCallPart;
  /** Reserved in call order when the step's calls are recorded. */
  id: string;
  position: string;
  /** The row an earlier drive left: a call that a crash cut, or one that rests. */
  left: MessageRecord | null;
  runner: ToolRunner | undefined;
  /** Of a call that begins: it asks for a person's consent first, or may not run. */
  consent?: { ask: ApprovalRule } | { refused: ToolAnswer } | undefined;
}

/** What calls need to know of their step. */
export type CallPlan = Pick<NumberedPlan, "step" | "side" | "depth" | "tools" | "toolMode" | "warnings">;

/** What a call works with. */
export interface CallContext {
  ports: RunPorts;
  plan: CallPlan;
  events: EventList;
  signal: AbortSignal;
  /** A message that waits to join the run keeps calls from beginning (decision 28). */
  skippable?: boolean;
}

/** A settled call, with what the log wants to know. */
export interface SettledCall extends CallOutcome {
  message: MessageRecord;
  duration_ms: number;
  stack: string | undefined;
}

/** A call that has no result yet: its answer comes from elsewhere, or it stands behind one that waits. */
interface RestingCall {
  /** Microseconds; null for a call that has not begun. */
  rests_until: number | null;
}

/** What a drive of the loop makes of a call. */
export type DrivenCall = SettledCall | RestingCall;

/** True for a call with its result. */
export function isSettledCall(call: DrivenCall): call is SettledCall {
  return "message" in call;
}
