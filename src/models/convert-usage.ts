// Token counts of the AI SDK as ours. Invariants: `input` counts uncached prompt tokens only, reasoning is inside `output`,
// no count is negative, and the total is the sum of the four (decision 20).

import type { LanguageModelV3Usage } from "@ai-sdk/provider";

import type { Usage } from "#contract/usage.ts";

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}

/** Some providers report reasoning beside the answer's tokens; their own total tells. */
function answerTokens(usage: LanguageModelV3Usage): number {
  const total = count(usage.outputTokens.total);
  const reasoning = count(usage.outputTokens.reasoning);
  const reported = count(usage.raw?.["total_tokens"]);
  const beside = reasoning > total || reported === count(usage.inputTokens.total) + total + reasoning;
  return beside ? total + reasoning : total;
}

/** Counts of one call. Missing counts are zero. */
export function convertUsage(usage: LanguageModelV3Usage): Usage {
  const cache_read = count(usage.inputTokens.cacheRead);
  const cache_write = count(usage.inputTokens.cacheWrite);
  const total = usage.inputTokens.total;
  // The packages do not agree whether `noCache` still holds what was written to the cache; the total does everywhere.
  const input = total === undefined ? count(usage.inputTokens.noCache) : count(total - cache_read - cache_write);
  const output = answerTokens(usage);
  return { input, output, cache_read, cache_write, total_tokens: input + output + cache_read + cache_write };
}
