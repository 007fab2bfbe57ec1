// Estimates the usage of an attempt whose provider reported no tokens, or not all. Providers bill an interrupted answer too, and
// most report tokens only at its end; some servers never report any. Without an estimate such an answer would cost nothing, and
// limits of tokens and money would not hold.

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
 * Usage of a complete answer. `reported` is the provider's count and is used where it is above zero; `words` are the pieces of the
 * answer. Every request has a prompt, so zero tokens of the prompt mean that the provider did not count it.
 */
export function finishedUsage(request: ModelRequest, reported: Usage, words: readonly string[]): CountedUsage {
  return complete(reported, {
    input: hasPrompt(reported) ? reported.input : requestTokens(request),
    output: reported.output > 0 ? reported.output : textTokens(words.join("")),
  });
}

/**
 * Usage of an interrupted attempt. `reported` is the provider's count up to then, `words` the received pieces of the answer. An
 * attempt without pieces was refused or never answered: only the reported usage counts.
 */
export function cutUsage(request: ModelRequest, reported: Usage | null, words: readonly string[]): CountedUsage {
  const known = reported ?? zeroUsage;
  if (words.length === 0) return { usage: known, estimated: false };
  return complete(known, {
    input: hasPrompt(known) ? known.input : requestTokens(request),
    // A count from the middle of an answer may be older than its last piece. Anthropic's counts only the first word.
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
