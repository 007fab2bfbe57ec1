// The execution strategy `loop`.

import { loop as loopStrategy } from "#core/strategy/tool-loop.ts";

import type { ExecutionStrategy } from "../agent-contract.ts";
import { checkCount, builtInStrategy } from "./built-in-strategy.ts";

/** The options of `loop`. */
export interface LoopOptions {
  /**
   * The maximum number of rounds of calls. The execution ends after the last round, without a further request. With 0, the calls of the
   * first answer are not executed. Default: no limit.
   */
  maxIterations?: number | undefined;
}

/** Requests the model again while its answers call tools. Each request is a step. */
export function loop({ maxIterations = Infinity }: LoopOptions = {}): ExecutionStrategy {
  checkCount("loop", "maxIterations", { value: maxIterations, least: 0 });
  const leavesCallsUnexecuted = maxIterations === 0;
  const options = maxIterations === Infinity || leavesCallsUnexecuted ? {} : { maxIterations };
  return builtInStrategy("loop", () => ({ strategy: loopStrategy(options), leavesCallsUnexecuted }));
}
