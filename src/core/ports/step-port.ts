// The ports that prepare a step and run the hooks of messages and calls. The layer `flow` implements them for threads.

import type { JsonObject } from "#contract/json.ts";
import type { Side } from "#contract/thread-message.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import type { MessageRecord } from "../record.ts";
import type { ModelRequest } from "./model-port.ts";
import type { StepShape } from "./strategy-port.ts";
import type { ToolAnswer, ToolRunner } from "./tool-port.ts";

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
}

/** Options of a plan. */
export interface PlanOptions {
  /**
   * How much smaller the request has to be: 0 for the normal size. After a model refused a request as too large, the step is planned again
   * with 1.
   */
  squeeze?: number;
}

/** Why a step could not be prepared: a definition is missing, or a prompt cannot be composed. */
export type StepProblem = { problem: { code: string; message: string } };

/** A plan with the number of its step in its loop, from 1. */
export type NumberedPlan = StepPlan & { step: number };

/** The part of a plan that calls need. */
export type StepTools = Pick<StepPlan, "tools" | "toolMode" | "side" | "role" | "depth" | "warnings">;

/** Contract: rejects only for a bug. Errors of definitions are returned as a problem, which ends the run. */
export interface StepPort {
  /** Prepares the next step. With `squeeze` the request is smaller, if there is anything to leave out. */
  plan(shape: StepShape, signal: AbortSignal, options?: PlanOptions): Promise<StepPlan | StepProblem>;
  /**
   * The tools of a step without a model request. Includes each defined tool of `names`, also if the prompt does not list it.
   */
  tools(names: readonly string[]): Promise<StepTools | StepProblem>;
}

/** A call as hooks receive it. */
export interface HookCall {
  id: string;
  name: string;
  arguments: string;
}

/**
 * The hooks of messages and calls (decision 25: order of hooks). Contract: never reject. If a hook throws, takes too long or returns an
 * invalid value, that is logged, and the original value is returned.
 */
export interface LoopHooks {
  beforeCreateMessage(message: MessageRecord): Promise<MessageRecord>;
  afterCreateMessage(message: MessageRecord): Promise<void>;
  afterToolCall(call: HookCall, answer: ToolAnswer): Promise<ToolAnswer>;
  beforeStoreToolResult(call: HookCall, answer: ToolAnswer): Promise<ToolAnswer>;
}
