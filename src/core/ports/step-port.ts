// The port that prepares a step. The layer `flow` implements it for threads.

import type { JsonObject } from "#contract/json.ts";
import type { Side } from "#contract/thread-message.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import type { StoredProjection } from "../record/record.ts";
import type { ModelRequest } from "./model-port.ts";
import type { StepShape } from "./strategy-port.ts";
import type { ToolRunner } from "./tool-port.ts";

/** Whether calls of a step run one after the other, in parallel, or in batches. */
export type ToolMode = "sequential" | "parallel" | { batched: number };

/** A prepared step: its model request, and the tools that its answer may call. */
export interface StepPlan {
  /** The model, then its fallbacks in order. */
  models: [AnyModelDefinition, ...AnyModelDefinition[]];
  request: Omit<ModelRequest, "model">;
  tools: ReadonlyMap<string, ToolRunner>;
  toolMode: ToolMode;
  side: Side;
  /**
   * The role of the stored answer: `user` if two models talk to each other and the second one answers (decision 9: two models in a thread).
   */
  role: "assistant" | "user";
  depth: number;
  /** The data from which the request can be rebuilt later, for the log: message ids, hashes, options. */
  trace: JsonObject;
  /** Warnings for the step's row, such as the tools of a source that failed. */
  warnings?: readonly string[];
  /** How this plan compacted the conversation. Absent if it did not. */
  compaction?: Compaction;
  /** The new projection, for the step's row: what the next requests contain of the conversation. Present after a compaction. */
  projection?: ScopedProjection;
  /** The request for a summary of the messages that the compaction dropped. The loop sends it, and plans the step again with its text. */
  summary?: { model: AnyModelDefinition; request: Omit<ModelRequest, "model"> };
}

/** A compaction of the conversation in a request. Nothing that is stored changes. */
export interface Compaction {
  /** `budget`: the request exceeded its budget. `overflow`: a model refused it as too large. `files`: it had too many files. */
  reason: "budget" | "overflow" | "files";
  /** The most severe reduction, as in the event `compaction_end`. */
  level: "files" | "tools" | "turns" | "drop" | "cut" | "summary";
  /** The maximum number of tokens of the request. */
  budget: number;
  tokens_before: number;
  tokens: number;
  /** The number of messages of the conversation that are not sent any more. */
  dropped: number;
}

/** A projection and the name of its conversation: the side and the prompt's name, or for a nested loop the id of its tool message. */
export interface ScopedProjection {
  of: string;
  is: StoredProjection;
}

export interface PlanOptions {
  /**
   * How much smaller the request has to be: 0 for the normal size. After a model refused a request as too large, the step is planned again
   * with 1.
   */
  squeeze?: number;
  /**
   * The summary that the last plan requested; null if the summary failed. Absent in a step's first plan. The projection of a plan that
   * requests a summary is not stored.
   */
  summary?: string | null;
}

/** Why a step could not be prepared: a definition is missing, or a prompt cannot be composed. */
export type StepProblem = { problem: { code: string; message: string } };

/** A plan with the number of its step in its loop, from 1, and the strategy's settings for the stored answer. */
export type NumberedPlan = StepPlan & { step: number } & Pick<StepShape, "phase" | "silent">;

/** The part of a step's plan that is needed to run calls. */
export type StepTools = Pick<StepPlan, "tools" | "toolMode" | "side" | "role" | "depth" | "warnings">;

/** Contract: rejects only for a bug. Errors of definitions are returned as a problem, which ends the run. */
export interface StepPort {
  /** Prepares the next step. If `squeeze` is above 0, the request is smaller, as far as anything can be left out. */
  plan(shape: StepShape, signal: AbortSignal, options?: PlanOptions): Promise<StepPlan | StepProblem>;
  /**
   * The tools of a step without a model request. Includes each defined tool of `names`, also if the prompt does not list it.
   */
  tools(names: readonly string[]): Promise<StepTools | StepProblem>;
}
