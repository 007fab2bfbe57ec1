// What an attempt that came to no end is counted for. Providers bill what they generated until it was cut, and most report
// tokens at the end only; without an estimate a stopped answer would be free, and so would a limit that stops it.

import { zeroUsage } from "#contract/usage.ts";
import type { Usage } from "#contract/usage.ts";

import type { ModelRequest } from "../ports/model-port.ts";
import { promptTokens, textTokens } from "./estimate-tokens.ts";

/** Usage of a cut attempt, and whether any of it is estimated. */
export interface CutUsage {
  usage: Usage;
  estimated: boolean;
}

/**
 * `told` is what the provider had said by then, `words` what had come of the answer. An attempt of which nothing came was
 * refused or never begun: it counts for what was told.
 */
export function cutUsage(request: ModelRequest, told: Usage | null, words: readonly string[]): CutUsage {
  const known = told ?? zeroUsage;
  if (words.length === 0) return { usage: known, estimated: false };
  const asked = known.input + known.cache_read + known.cache_write;
  const input = asked > 0 ? known.input : promptTokens(request);
  // What is told in the middle is a count of before: at Anthropic, of the first word.
  const output = Math.max(known.output, textTokens(words.join("")));
  const estimated = input !== known.input || output !== known.output;
  const total_tokens = input + output + known.cache_read + known.cache_write;
  return { usage: { ...known, input, output, total_tokens }, estimated };
}
