// The package entry `threadhold/agents/execution`: the execution strategies. Each executes a strategy of the core, which threads
// use too.

export { loop, plan, react } from "./built-in-strategy.ts";
export type { LoopOptions, PlanOptions, ReactOptions } from "./built-in-strategy.ts";
