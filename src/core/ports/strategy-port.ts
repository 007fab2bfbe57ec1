// The port that decides between steps: whether another step follows and what differs in it, or how the run ends. A strategy decides about
// one model call at a time, so checkpoints, suspension and limits work with every strategy.

import type { ToolResult } from "#contract/call-result.ts";
import type { ToolCall } from "#contract/content.ts";
import type { EventDraft } from "#contract/event.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import type { RunStatus } from "#contract/run.ts";
import type { StopReason, Side } from "#contract/thread-message.ts";
import type { Usage } from "#contract/usage.ts";

import type { AnswerStructure } from "./model-port.ts";

/** A call of a step and its result. */
export interface CallOutcome {
  call: ToolCall;
  result: ToolResult;
}

/** The outcome of a finished step. */
export interface StepOutcome {
  /** The id of the stored answer. */
  message_id: string;
  /** Null if the answer has no text part. */
  text: string | null;
  calls: CallOutcome[];
  /** The JSON object or list that the answer consists of, as in a step with `structure`. Absent for other answers. */
  data?: Json;
  /** The answer has no text, picture, file or call. */
  blank: boolean;
  stop_reason: StopReason | null;
  /** Details that the provider added to its stop reason. */
  stop_detail?: string | undefined;
  /** The text of the model's thinking; null for none. */
  thinking: string | null;
  /** The tokens of the answer; null for a step without a model request. */
  usage: Usage | null;
  /** USD; null if the price is unknown. */
  cost: number | null;
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
  /**
   * The names of the tools that the answer may call, a subset of the prompt's. Absent for all of them. An empty list forbids calls and
   * still sends the list of tools, because providers cache the beginning of a request together with its tools.
   */
  tools?: readonly string[];
  /** A user message at the end of the request. If `keep` is true, it is stored as a silent message, so that later steps send it too. */
  instruction?: { text: string; keep: boolean };
  /** The purpose of the step, such as `reason`; shown in `step_start`. */
  phase?: string;
  /** Whether the answer is stored as a silent message. User interfaces do not show such messages; later steps send them. */
  silent?: boolean;
  /** The form of the answer. Absent: the form that the run or the prompt requests. Null: free text. */
  structure?: AnswerStructure | null;
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
  /** Warnings for the step's row. */
  warnings?: readonly string[];
}

/** The end of a run. */
export interface RunEnd {
  status: Extract<RunStatus, "completed" | "stopped" | "limit" | "error">;
  reason: string | null;
  outcome?: Json;
  /** The checked data of a structured answer. */
  data?: Json;
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
  /**
   * The strategy's settings for a step that a crash or a suspension interrupted. Absent for a strategy that restricts the tools of no step.
   */
  interruptedShape?(): Promise<StepShape>;
  /** The state that is stored when a step is suspended. */
  memory?(): JsonObject;
  /**
   * Decides whether the calls of an answer run. If it returns `leave`, the step ends and its calls are not executed. If absent, all calls
   * run. Called again with the same calls if the step is resumed.
   */
  allows?(calls: readonly ToolCall[]): "run" | "leave";
  /** Called once for each step, just before its last row is written. */
  finishStep?(step: FinishedStep): StepEffects | Promise<StepEffects>;
}
