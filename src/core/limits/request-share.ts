// The share of a run's budget that a model request reserves before it is sent. Pure.

import { costOf } from "../cost.ts";
import { requestTokens } from "../model/estimate-tokens.ts";
import type { ModelRequest } from "../ports/model-port.ts";
import { zeroUse } from "./amounts.ts";
import type { Bounds, Used } from "./amounts.ts";

/** Tokens reserved for an answer if neither prompt nor model bounds its length. */
const answerTokens = 8192;

/**
 * One step, the request's estimated tokens with the longest answer that it allows, and their cost. Tokens are counted only if a bound needs
 * them, because long histories take time to count.
 */
export function requestShare(request: ModelRequest, bounds: readonly Bounds[]): Used {
  const steps = { ...zeroUse, steps: 1 };
  if (bounds.every(({ tokens, cost }) => tokens === null && cost === null)) return steps;
  const input = requestTokens(request);
  const output = request.maxTokens ?? request.model.maxTokens ?? answerTokens;
  const usage = { input, output, cache_read: 0, cache_write: 0, total_tokens: input + output };
  return { ...steps, tokens: usage.total_tokens, cost: costOf(request.model, usage, null) ?? 0 };
}
