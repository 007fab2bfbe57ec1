// Shapes of token counts and money on the wire; what is done with them is in usage.ts.

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

/** USD, or null where a price was missing. */
export const costSchema = z.number().nonnegative().nullable();
