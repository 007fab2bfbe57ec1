// The strategies of a side: a plain loop, reasoning before each action, or a plan first.

/** Alternates model requests and tool calls. */
export interface LoopStrategy {
  type: "loop";
  /** Maximal number of rounds of tools. Default: no limit. Not available yet: a build refuses it. */
  maxIterations?: number;
}

/** Requests a thought before each action. Not available yet: a build refuses it. */
export interface ReactStrategy {
  type: "react";
  /** Maximal number of steps. Default: no limit. */
  maxSteps?: number;
  /** Instruction that asks the model for the thought. */
  reasoningPrompt?: string;
}

/** Requests a plan and then executes it. Not available yet: a build refuses it. */
export interface PlanStrategy {
  type: "plan";
  /** Maximal number of steps in a plan. Default: no limit. */
  maxPlanSteps?: number;
  /** Whether to request a new plan when a step fails. Default true. */
  allowReplan?: boolean;
}

/** A strategy by name or with options. Default `loop`. */
export type Strategy = "loop" | "react" | "plan" | LoopStrategy | ReactStrategy | PlanStrategy;
