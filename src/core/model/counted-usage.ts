// What an attempt is counted for where its provider counted nothing, or not all. Providers bill what they generated also when
// it was cut, and most report tokens at the end only; some servers never report any. Without an estimate such an answer would
// be free, and no limit of tokens or money would ever hold.

import { zeroUsage } from "#contract/usage.ts";
import type { Usage } from "#contract/usage.ts";

import type { ModelRequest } from "../ports/model-port.ts";
import { requestTokens, textTokens } from "./estimate-tokens.ts";

/** Usage of an attempt, and whether any of it is estimated. */
export interface CountedUsage {
  usage: Usage;
  estimated: boolean;
}

/**
 * Usage of an answer that came to its end. `reported` is the provider's count and stands where it is above zero; `words` are
 * the pieces of the answer. No request is sent without a prompt, so a prompt of zero tokens was not counted.
 */
export function finishedUsage(request: ModelRequest, reported: Usage, words: readonly string[]): CountedUsage {
  return complete(reported, {
    input: hasPrompt(reported) ? reported.input : requestTokens(request),
    output: reported.output > 0 ? reported.output : textTokens(words.join("")),
  });
}

/**
 * Usage of an attempt that was cut. `reported` is what the provider had counted by then, `words` the pieces that had come of
 * the answer. An attempt without any was refused or never begun: it counts for what was reported.
 */
export function cutUsage(request: ModelRequest, reported: Usage | null, words: readonly string[]): CountedUsage {
  const known = reported ?? zeroUsage;
  if (words.length === 0) return { usage: known, estimated: false };
  return complete(known, {
    input: hasPrompt(known) ? known.input : requestTokens(request),
    // A count from the middle of an answer is of an earlier moment: at Anthropic, of the first word.
    output: Math.max(known.output, textTokens(words.join(""))),
  });
}

function hasPrompt({ input, cache_read, cache_write }: Usage): boolean {
  return input + cache_read + cache_write > 0;
}

function complete(known: Usage, { input, output }: Pick<Usage, "input" | "output">): CountedUsage {
  if (input === known.input && output === known.output) return { usage: known, estimated: false };
  const total_tokens = input + output + known.cache_read + known.cache_write;
  return { usage: { ...known, input, output, total_tokens }, estimated: true };
}
