// Converts the token counts of the AI SDK. Invariants: `input` counts uncached prompt tokens only, `output` includes reasoning,
// no count is negative, and the total is the sum of the four (decision 20: how tokens are counted).

import type { LanguageModelV3Usage } from "@ai-sdk/provider";

import type { Usage } from "#contract/usage.ts";

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}

/** Tokens of the answer with its reasoning. Some providers count reasoning separately, which their total shows. */
function answerTokens(usage: LanguageModelV3Usage): number {
  const total = count(usage.outputTokens.total);
  const reasoning = count(usage.outputTokens.reasoning);
  const reported = count(usage.raw?.["total_tokens"]);
  const isSeparate = reasoning > total || reported === count(usage.inputTokens.total) + total + reasoning;
  return isSeparate ? total + reasoning : total;
}

/** Counts of one call. Missing counts are zero. */
export function convertUsage(usage: LanguageModelV3Usage): Usage {
  const cache_read = count(usage.inputTokens.cacheRead);
  const cache_write = count(usage.inputTokens.cacheWrite);
  const total = usage.inputTokens.total;
  // The packages differ in whether `noCache` includes the tokens written to the cache. The total always includes them.
  const input = total === undefined ? count(usage.inputTokens.noCache) : count(total - cache_read - cache_write);
  const output = answerTokens(usage);
  return { input, output, cache_read, cache_write, total_tokens: input + output + cache_read + cache_write };
}
