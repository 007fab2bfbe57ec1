// The port that decides between steps: whether another step follows and what differs in it, or how the run ends. A strategy decides about
// one model call at a time, so checkpoints, suspension and limits work with every strategy.

import type { ToolResult } from "#contract/call-result.ts";
import type { ToolCall } from "#contract/content.ts";
import type { EventDraft } from "#contract/event.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import type { RunStatus } from "#contract/run.ts";
import type { StopReason, Side } from "#contract/thread-message.ts";

/** A call of a step and its result. */
export interface CallOutcome {
  call: ToolCall;
  result: ToolResult;
}

/** The outcome of a finished step. */
export interface StepOutcome {
  /** Null if the answer has no text part. */
  text: string | null;
  calls: CallOutcome[];
  /** The answer has no text, picture, file or call. */
  blank: boolean;
  stop_reason: StopReason | null;
  /** Details that the provider added to its stop reason. */
  stop_detail?: string | undefined;
}

/** The progress of a loop. `last` is null before its first step. */
export interface Progress {
  steps: number;
  last: StepOutcome | null;
  /** True when a user message arrived after the last step. A strategy that would end the run may then continue. */
  hasNewInput?: boolean;
}

/** What the strategy changes in a step; the prompt decides the rest. */
export interface StepShape {
  toolChoice?: "auto" | "none" | "required";
  /** A text at the end of the request's messages. It is sent and not stored. */
  instruction?: string;
}

/** A finished step whose last row is about to be written. */
export interface FinishedStep extends StepOutcome {
  /** False for a step that makes tool calls queued by definitions: it has no model request. */
  fromModel: boolean;
  /** The agent that a call of the step, or of a loop below it, handed the thread to. */
  handoff: { agent: string; tool_call_id: string } | null;
  /** Definitions have queued tool calls, so the run continues in any case. */
  hasQueuedCalls: boolean;
}

/** What is written and emitted together with the end of a step. */
export interface StepEffects {
  /** Emitted after `step_end`. */
  events: EventDraft[];
  /** The strategy's state. When the run resumes, the new strategy object receives the last stored one. */
  state: JsonObject;
  /** The agent that the thread is handed to. */
  agent?: string | undefined;
}

/** The end of a run. */
export interface RunEnd {
  status: Extract<RunStatus, "completed" | "stopped" | "limit" | "error">;
  reason: string | null;
  outcome?: Json;
  error?: { code: string; message: string };
  /** The side (one of the agent's two models, `a` or `b`) whose turn ended; `turn_end` is emitted for it. */
  turn?: Side;
}

/** The strategy's decision: another step, or the end of the run. */
export type Decision = { type: "step"; shape?: StepShape } | ({ type: "end" } & RunEnd);

/**
 * Contract: a strategy has no state except what `progress` and the last `StepEffects.state` contain, because an interrupted run is resumed
 * with a new strategy object.
 */
export interface Strategy {
  readonly name: string;
  /** Decides what follows the last step. */
  next(progress: Progress): Decision | Promise<Decision>;
  /** The side whose turn is not over; null between turns. Absent for a strategy without turns. */
  turn?(): Side | null;
  /** The state that is stored when a step is suspended. */
  memory?(): JsonObject;
  /** Called once for each step, just before its last row is written. */
  finishStep?(step: FinishedStep): StepEffects | Promise<StepEffects>;
}
