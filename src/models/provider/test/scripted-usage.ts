// Token counts of scripted answers: those that the script states, and estimates for the others.

import type { Usage } from "#contract/usage.ts";
import { callTokens, promptTokens, textTokens } from "#core/model/estimate-tokens.ts";
import type { ModelRequest } from "#core/ports/model-port.ts";
import type { TestTurn } from "#spec/index.ts";

function turnTokens(turn: TestTurn): number {
  const text = typeof turn.text === "string" ? turn.text : (turn.text ?? []).join("");
  const calls = (turn.toolCalls ?? []).reduce((sum, call) => sum + callTokens(call.name, call.arguments), 0);
  return textTokens(text) + textTokens(turn.thinking ?? "") + calls;
}

/** Counts of a scripted answer: those that the turn states, and estimates for the others. */
export function scriptedUsage(request: ModelRequest, turn: TestTurn): Usage {
  const cache_read = turn.usage?.cacheRead ?? 0;
  const cache_write = turn.usage?.cacheWrite ?? 0;
  const input = turn.usage?.input ?? promptTokens(request);
  const output = turn.usage?.output ?? turnTokens(turn);
  return { input, output, cache_read, cache_write, total_tokens: input + output + cache_read + cache_write };
}
