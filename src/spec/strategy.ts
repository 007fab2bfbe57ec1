// How a side goes about its work: the plain loop, reason-and-act, or plan first.

/** Call the model, run its tools, call it again. */
export interface LoopStrategy {
  type: "loop";
  /** Rounds of tools at most; unbounded when absent. Not available yet: a build refuses it. */
  maxIterations?: number;
}

/** Ask for a thought before each action. Not available yet: a build refuses it. */
export interface ReactStrategy {
  type: "react";
  /** Steps at most; unbounded when absent. */
  maxSteps?: number;
  /** What the model is told when it is asked to think. */
  reasoningPrompt?: string;
}

/** Ask for a plan, then work through it. Not available yet: a build refuses it. */
export interface PlanStrategy {
  type: "plan";
  /** Steps a plan may have; unbounded when absent. */
  maxPlanSteps?: number;
  /** Ask for another plan when a step fails. Default true. */
  allowReplan?: boolean;
}

/** A strategy by name, or with its options. Default `loop`. */
export type Strategy = "loop" | "react" | "plan" | LoopStrategy | ReactStrategy | PlanStrategy;
