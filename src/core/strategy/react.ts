// The strategy `react` (UAP, execution strategies): each cycle requests reasoning without tools, then an action. The action is tool calls,
// or the answer, which ends the turn. Instructions and reasoning are kept as silent messages, so that each request begins like the one
// before it.

import { z } from "zod";

import { reasonPhase } from "./turn-strategy.ts";
import type { TurnDecision, TurnStrategy } from "./turn-strategy.ts";

const stateSchema = z.object({ cycle: z.number(), phase: z.enum(["reason", "act"]) });

/** The options of the strategy. */
export interface ReactOptions {
  /** Whether an action without tool calls ends the turn. Default true. */
  stopOnResponse?: boolean | undefined;
  /** The maximum number of cycles of reasoning and action. Default: no limit. */
  maxCycles?: number | undefined;
  /** The instruction that requests the reasoning. */
  reasoningPrompt?: string | undefined;
}

const defaultReasoningPrompt =
  "Think about what to do next. Write only your reasoning: do not call a tool, and do not answer yet.";

const actionPrompt =
  "Based on your reasoning, take action: call the tools that you need, or answer if you have everything you need.";

/** Creates the strategy. */
export function react({
  stopOnResponse = true,
  maxCycles = Infinity,
  reasoningPrompt = defaultReasoningPrompt,
}: ReactOptions = {}): TurnStrategy {
  const reason = (cycle: number): TurnDecision => {
    if (cycle > maxCycles) return { next: { type: "end", reason: "max_steps" } };
    const instruction = { text: reasoningPrompt, keep: true };
    const shape = { phase: reasonPhase, silent: true, tools: [], structure: null, instruction };
    return { next: { type: "step", shape }, state: { cycle, phase: "reason" } };
  };
  return {
    name: "react",
    next(last, stored): TurnDecision {
      const state = stateSchema.safeParse(stored).data;
      if (last === null || state === undefined) return reason(1);
      const { cycle, phase } = state;
      // After tool calls the cycle is over, also in the phase `reason`: a model may call a tool although none is offered.
      if (last.calls.length > 0) return reason(cycle + 1);
      if (phase === "act" && !last.blank) {
        return stopOnResponse ? { next: { type: "end", reason: "response" } } : reason(cycle + 1);
      }
      // After a blank action the model is requested again; the instruction is among the messages already.
      const instruction = phase === "reason" ? { instruction: { text: actionPrompt, keep: true } } : {};
      const shape = { phase: "act", ...instruction };
      return { next: { type: "step", shape }, continues: true, state: { cycle, phase: "act" } };
    },
  };
}
