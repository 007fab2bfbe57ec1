// What the next step asks, decided between steps. A strategy drives one model call at a time, so order, checkpoints,
// suspension and limits work under every one.

import type { ToolCall } from "#contract/content.ts";
import type { EventDraft } from "#contract/event.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import type { StopReason, Side } from "#contract/message.ts";
import type { RunStatus } from "#contract/run.ts";
import type { ToolResult } from "#contract/tool-result.ts";

/** One call of a step and what came of it. */
export interface CallOutcome {
  call: ToolCall;
  result: ToolResult;
}

/** A step, once it is over. */
export interface StepOutcome {
  /** Null where the answer had no text part. */
  text: string | null;
  calls: CallOutcome[];
  /** The answer has no text, picture, file or call. */
  blank: boolean;
  stop_reason: StopReason | null;
  /** What the provider added to its stop reason. */
  stop_detail?: string | undefined;
}

/** What has happened in the run so far. `last` is null before the first step. */
export interface Progress {
  steps: number;
  last: StepOutcome | null;
  /** True when a user message arrived after the last step. A strategy that would end the run may then continue. */
  hasNewInput?: boolean;
}

/** How a step differs from what the prompt asks anyway. */
export interface StepShape {
  toolChoice?: "auto" | "none" | "required";
  /** A line to the model at the end of the history; sent, never stored. */
  instruction?: string;
}

/** A step that is about to be recorded as over. */
export interface FinishedStep extends StepOutcome {
  /** False for calls that a definition queued: no model was asked. */
  fromModel: boolean;
  /** The agent that a call of the step, or of a loop under it, handed the thread to. */
  handoff: { agent: string; tool_call_id: string } | null;
  /** Calls are queued: the run goes on whatever this step said. */
  hasQueuedCalls: boolean;
}

/** What a strategy wants recorded with the step. */
export interface StepEffects {
  /** Told after `step_end`. */
  events: EventDraft[];
  /** The strategy's memory; a strategy made anew for the run is given the last one that was recorded. */
  state: JsonObject;
  /** The agent that the thread goes to. */
  agent?: string | undefined;
}

/** How a run ends. */
export interface RunEnd {
  status: Extract<RunStatus, "completed" | "stopped" | "limit" | "error">;
  reason: string | null;
  outcome?: Json;
  error?: { code: string; message: string };
  /** The side whose turn ended, told as `turn_end`. */
  turn?: Side;
}

/** What comes next. */
export type Decision = { type: "step"; shape?: StepShape } | ({ type: "end" } & RunEnd);

/**
 * Contract: pure apart from its own memory, which must follow from `progress` and from what `finished` last gave to be
 * recorded, since a cut run is resumed with a new strategy object.
 */
export interface Strategy {
  readonly name: string;
  next(progress: Progress): Decision | Promise<Decision>;
  /** The side whose turn has begun and is not over; left out where there are no turns. */
  turn?(): Side | null;
  /** What a step that rests records of the strategy's memory. */
  memory?(): JsonObject;
  /** Called once for each step, when its row is about to be written. */
  finishStep?(step: FinishedStep): StepEffects | Promise<StepEffects>;
}
