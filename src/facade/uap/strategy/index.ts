// The package entry `threadhold/agents/execution`: the execution strategies. Each executes a strategy of the core, which threads
// use too.

export { loop } from "./loop-execution.ts";
export type { LoopOptions } from "./loop-execution.ts";
export { plan } from "./plan-execution.ts";
export type { PlanOptions } from "./plan-execution.ts";
export { react } from "./react-execution.ts";
export type { ReactOptions } from "./react-execution.ts";
