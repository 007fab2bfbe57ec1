// The tokens that a provider counted for a request, and how they correct estimates. Every function is pure.

import type { Usage } from "#contract/usage.ts";

/** The bounds of a correction. A count far from the estimate belongs to another request, or is wrong. */
const bounds = { least: 0.5, most: 4 };

/** The tokens of an answer's request as its provider counted them. Null if it counted none: every request has a prompt. */
export function countedRequest({ input, cache_read, cache_write }: Usage): number | null {
  const tokens = input + cache_read + cache_write;
  return tokens > 0 ? tokens : null;
}

/** The tokens of a request together with its answer, as its provider counted them. Null if it counted none. */
export function countedConversation(usage: Usage): number | null {
  const tokens = (countedRequest(usage) ?? 0) + usage.output;
  return tokens > 0 ? tokens : null;
}

/** The ratio of a provider's count to the estimate of the same messages, within bounds. 1 if nothing was estimated. */
export function correction({ counted, estimated }: { counted: number; estimated: number }): number {
  if (estimated === 0) return 1;
  return Math.min(Math.max(counted / estimated, bounds.least), bounds.most);
}
