// Schemas of token counts and money on the wire. `usage.ts` computes with them.

import { z } from "zod";

const count = z.number().int().nonnegative();

/** Tokens of one model call, or of many added up. */
export const usageSchema = z.object({
  input: count,
  output: count,
  cache_read: count,
  cache_write: count,
  total_tokens: count,
});

/** USD; null if a price is missing. */
export const costSchema = z.number().nonnegative().nullable();
