// Estimates the usage of an attempt whose provider reported no tokens, or not all. Providers bill an interrupted answer too, and
// most report tokens only at its end; some servers never report any. Without an estimate such an answer would cost nothing, and
// limits of tokens and money would not hold. A count that no answer can have counts as not reported: a sum with it could not be
// written as JSON, and the thread could not be imported again.

import { zeroUsage } from "#contract/usage.ts";
import type { Usage } from "#contract/usage.ts";

import { countedRequest } from "../context/measured-tokens.ts";
import type { ModelRequest } from "../ports/model-port.ts";
import { requestTokens, textTokens } from "./estimate-tokens.ts";

/** The highest token count that is accepted. No answer has more, and sums of such counts are exact in a double. */
const mostTokens = 1e9;

/** Usage of an attempt, and whether any of it is estimated. */
export interface CountedUsage {
  usage: Usage;
  estimated: boolean;
}

/**
 * Usage of a complete answer. `reported` are the provider's counts; each one is used if it is above zero; `texts` are the pieces of the
 * answer. Every request has a prompt, so zero tokens of the prompt mean that the provider did not count it.
 */
export function finishedUsage(request: ModelRequest, reported: Usage, texts: readonly string[]): CountedUsage {
  const known = believed(reported);
  return complete(known, {
    input: hasPrompt(known) ? known.input : requestTokens(request),
    output: known.output > 0 ? known.output : textTokens(texts.join("")),
  });
}

/**
 * Usage of an interrupted attempt. `reported` is the provider's count up to then, `texts` the received pieces of the answer. An
 * attempt without pieces was refused or never answered: only the reported usage counts.
 */
export function cutUsage(request: ModelRequest, reported: Usage | null, texts: readonly string[]): CountedUsage {
  const known = believed(reported ?? zeroUsage);
  if (texts.length === 0) return { usage: known, estimated: false };
  return complete(known, {
    input: hasPrompt(known) ? known.input : requestTokens(request),
    // A count from the middle of an answer may be older than the last received piece. Anthropic's early count includes only the first word.
    output: Math.max(known.output, textTokens(texts.join(""))),
  });
}

/** The reported counts. A count that no answer can have becomes zero, as if it had not been reported. */
function believed({ input, output, cache_read, cache_write }: Usage): Usage {
  const count = (value: number): number => (value >= 0 && value <= mostTokens ? Math.round(value) : 0);
  const [prompt, words, read, written] = [count(input), count(output), count(cache_read), count(cache_write)];
  const total_tokens = prompt + words + read + written;
  return { input: prompt, output: words, cache_read: read, cache_write: written, total_tokens };
}

const hasPrompt = (usage: Usage): boolean => countedRequest(usage) !== null;

function complete(known: Usage, { input, output }: Pick<Usage, "input" | "output">): CountedUsage {
  if (input === known.input && output === known.output) return { usage: known, estimated: false };
  const total_tokens = input + output + known.cache_read + known.cache_write;
  return { usage: { ...known, input, output, total_tokens }, estimated: true };
}
