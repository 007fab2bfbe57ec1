// The strategy `loop`: requests the model again while its answers call tools (UAP, execution strategies).

import { z } from "zod";

import type { StepOutcome } from "../ports/strategy-port.ts";
import type { TurnDecision, TurnStrategy } from "./turn-strategy.ts";

const stateSchema = z.object({ rounds: z.number() });

/** The options of the strategy. */
export interface LoopOptions {
  /** Whether an answer without tool calls ends the turn. Default true. */
  stopOnResponse?: boolean | undefined;
  /** The maximum number of rounds of tool calls. Default: no limit. */
  maxIterations?: number | undefined;
}

/** Creates the strategy. Without `maxIterations` it has no state. A blank answer does not end the turn. */
export function loop({ stopOnResponse = true, maxIterations }: LoopOptions = {}): TurnStrategy {
  return {
    name: "loop",
    next(last, state): TurnDecision {
      const rounds = (stateSchema.safeParse(state).data?.rounds ?? 0) + ((last?.calls.length ?? 0) > 0 ? 1 : 0);
      const counted = maxIterations === undefined ? {} : { state: { rounds } };
      if (maxIterations !== undefined && rounds >= maxIterations) return { next: { type: "end", reason: "max_steps" } };
      if (last !== null && isResponse(last) && stopOnResponse) return { next: { type: "end", reason: "response" } };
      return { next: { type: "step" }, ...counted };
    },
  };
}

/** Whether an answer has content and calls no tool. */
export function isResponse({ calls, blank }: StepOutcome): boolean {
  return calls.length === 0 && !blank;
}
