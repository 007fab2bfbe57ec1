// What a step asks and what may be called in it: the border between the loop and the semantics above it.

import type { JsonObject } from "#contract/json.ts";
import type { Side } from "#contract/message.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import type { MessageRecord } from "../record.ts";
import type { ModelRequest } from "./model-port.ts";
import type { StepShape } from "./strategy.ts";
import type { ToolAnswer, ToolRunner } from "./tool-port.ts";

/** How a step's calls run together. */
export type ToolMode = "sequential" | "parallel" | { batched: number };

/** One step, ready to be asked. */
export interface StepPlan {
  /** The model to ask, then its fallbacks in order. */
  models: [AnyModelDefinition, ...AnyModelDefinition[]];
  request: Omit<ModelRequest, "model">;
  tools: ReadonlyMap<string, ToolRunner>;
  toolMode: ToolMode;
  side: Side;
  /** Role the answer is stored under: the second of two models speaks as `user` (decision 9). */
  role: "assistant" | "user";
  depth: number;
  /** What the log keeps so that the request can be built again: message ids, hashes, options. */
  trace: JsonObject;
  /** What the step has to do without, such as the tools of a source that failed: for the step's row. */
  warnings?: readonly string[];
}

/** How a plan differs from the usual one. */
export interface PlanOptions {
  /** How much smaller the request has to be, from 0: a request that was too large for its model is planned again with 1. */
  squeeze?: number;
}

/** What may go wrong while a step is made ready: a definition that is gone, a prompt that cannot be composed. */
export type StepProblem = { problem: { code: string; message: string } };

/** A plan with the number of its step in the run, from 1. */
export type NumberedPlan = StepPlan & { step: number };

/** What calls of a step need of its plan. */
export type StepTools = Pick<StepPlan, "tools" | "toolMode" | "side" | "role" | "depth" | "warnings">;

/** Contract: never rejects for anything a definition can cause; a problem ends the run with an error. */
export interface StepPort {
  /** A port that has nothing to leave out gives a squeezed plan that is as large as the usual one. */
  plan(shape: StepShape, signal: AbortSignal, options?: PlanOptions): Promise<StepPlan | StepProblem>;
  /** The tools that may be called now, for a step without a model request. Includes each defined tool of `names`, also if the prompt does not list it. */
  tools(names: readonly string[]): Promise<StepTools | StepProblem>;
}

/** The call as hooks see it. */
export interface HookCall {
  id: string;
  name: string;
  arguments: string;
}

/**
 * The hooks around messages and calls (decision 25 fixes their order). Contract: never reject; a hook that throws, hangs or
 * returns nonsense is logged and the original is given back.
 */
export interface LoopHooks {
  beforeCreateMessage(message: MessageRecord): Promise<MessageRecord>;
  afterCreateMessage(message: MessageRecord): Promise<void>;
  afterToolCall(call: HookCall, answer: ToolAnswer): Promise<ToolAnswer>;
  beforeStoreToolResult(call: HookCall, answer: ToolAnswer): Promise<ToolAnswer>;
}
