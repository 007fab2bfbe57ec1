// The strategies of a side: a plain loop, reasoning before each action, a plan first, or one of the project's own.

import type { StrategyName } from "./register.ts";

/** Alternates model requests and tool calls. */
export interface LoopStrategy {
  type: "loop";
  /** Maximal number of rounds of tool calls in a turn. Then the turn ends like one that reached `maxSteps`. Default: no limit. */
  maxIterations?: number;
}

/**
 * Requests reasoning before each action. A cycle is two model requests: the first one requests reasoning and permits no tool calls, the
 * answer to the second one calls tools or is final. Instructions and reasoning are stored as silent messages.
 */
export interface ReactStrategy {
  type: "react";
  /** Maximal number of cycles in a turn. Then the turn ends like one that reached the side's `maxSteps`. Default: no limit. */
  maxSteps?: number;
  /** Instruction that requests the reasoning. */
  reasoningPrompt?: string;
}

/**
 * Requests a plan, then carries out its steps in the order of their dependencies. The plan and the instructions are stored as silent
 * messages. A step fails if all calls of its last answer with calls failed.
 */
export interface PlanStrategy {
  type: "plan";
  /** Maximal number of steps in a plan. A longer plan is requested again once, then cut. Default 50. */
  maxPlanSteps?: number;
  /** Whether to request a new plan when a step fails, at most three times in a turn. Default true. */
  allowReplan?: boolean;
}

/** A strategy by name, also one of `agents/strategies/`, or with options. Default `loop`. */
export type Strategy = "loop" | "react" | "plan" | StrategyName | LoopStrategy | ReactStrategy | PlanStrategy;
