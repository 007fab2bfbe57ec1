// The package entry `threadhold/agents/execution`: the execution strategies. Each executes a strategy of the core, which threads
// use too.

export { loop, react } from "./built-in-strategy.ts";
export type { LoopOptions, ReactOptions } from "./built-in-strategy.ts";
export { plan } from "./plan-execution.ts";
export type { PlanOptions } from "./plan-execution.ts";
