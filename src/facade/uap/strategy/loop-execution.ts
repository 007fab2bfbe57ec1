// The execution strategy `loop`.

import { loop as loopStrategy } from "#core/strategy/tool-loop.ts";

import type { ExecutionStrategy } from "../agent-contract.ts";
import { checkCount, strategyOf } from "./built-in.ts";

/** The options of `loop`. */
export interface LoopOptions {
  /**
   * The maximum number of rounds of calls; the execution then ends with the last answer. With 0 the calls of the first answer are left
   * unexecuted. Default: no limit.
   */
  maxIterations?: number | undefined;
}

/** Requests the model again while its answers call tools. Each request is a step. */
export function loop({ maxIterations = Infinity }: LoopOptions = {}): ExecutionStrategy {
  checkCount("loop", "maxIterations", { value: maxIterations, least: 0 });
  const leavesCalls = maxIterations === 0;
  const options = maxIterations === Infinity || leavesCalls ? {} : { maxIterations };
  return strategyOf("loop", () => ({ strategy: loopStrategy(options), leavesCalls }));
}
