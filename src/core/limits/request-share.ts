// The share of a run's budget that a model request reserves before it is sent. Pure.

import { costOf } from "../model/cost.ts";
import { finishedUsage } from "../model/counted-usage.ts";
import { requestTokens } from "../model/estimate-tokens.ts";
import type { AnswerSoFar, ModelRequest } from "../ports/model-port.ts";
import { addUsed, zeroUse } from "./amounts.ts";
import type { Bounds, Used } from "./amounts.ts";

/** Tokens reserved for an answer if neither prompt nor model bounds its length. */
const answerTokens = 8192;

/**
 * One step, the request's estimated tokens with the longest answer that it allows, and their cost. Tokens are counted only if a bound needs
 * them, because long histories take time to count. `received`: the tokens of an unfinished answer that the request sends back.
 */
export function requestShare(request: ModelRequest, bounds: readonly Bounds[], received = 0): Used {
  const steps = { ...zeroUse, steps: 1 };
  if (bounds.every(({ tokens, cost }) => tokens === null && cost === null)) return steps;
  const input = requestTokens(request) + received;
  const output = request.maxTokens ?? request.model.maxTokens ?? answerTokens;
  const usage = { input, output, cache_read: 0, cache_write: 0, total_tokens: input + output };
  return { ...steps, tokens: usage.total_tokens, cost: costOf(request.model, usage, null) ?? 0 };
}

/** The tokens and the cost of an unfinished answer, and the share of a request that continues it. */
export function continuedShare(
  request: ModelRequest,
  { usage, texts }: AnswerSoFar,
  bounds: readonly Bounds[],
): { used: Used; share: Used } {
  const { usage: counted } = finishedUsage(request, usage, texts);
  const used = { ...zeroUse, tokens: counted.total_tokens, cost: costOf(request.model, counted, null) ?? 0 };
  return { used, share: addUsed(used, requestShare(request, bounds, counted.output)) };
}
