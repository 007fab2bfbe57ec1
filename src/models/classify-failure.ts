// Turns whatever went wrong in a model call into one of the classes the retry engine knows, exactly in the order
// overflow, rate limit, auth, network, api (figures: context overflow; decision 22, 23). A 429 is never an overflow.

import type { ModelFailure, ModelFailureKind } from "#core/ports/model-port.ts";

import { readFailureFacts, type FailureFacts } from "./failure-facts.ts";
import type { Exchange } from "./observed-fetch.ts";
import { saysOverflow } from "./overflow-phrases.ts";
import type { Redact } from "./redact.ts";
import { parseRetryAfter } from "./retry-after.ts";

/** What is known besides the error itself. */
export interface FailureContext {
  exchange: Exchange;
  redact: Redact;
  /** Milliseconds since 1970, for a `Retry-After` that is a date. */
  now: number;
  /** The call was aborted by its caller, so whatever was thrown follows from that. */
  aborted: boolean;
}

// A provider that answers with a page instead of a sentence must not fill the log.
const longestMessage = 2_000;

function kindOf(facts: FailureFacts): ModelFailureKind {
  const { status, text } = facts;
  if (status !== 429) {
    if (saysOverflow(text)) return "overflow";
    if ((status === 400 || status === 413) && facts.emptyBody) return "overflow";
  }
  if (status === 429) return "rate_limited";
  if (status === 401 || status === 403) return "auth";
  if (status !== null && status >= 500) return "network";
  if (status === null) {
    if (/rate limit|too many requests/i.test(text)) return "rate_limited";
    if (facts.transport) return "network";
  }
  return "api";
}

function isRetryable(kind: ModelFailureKind, facts: FailureFacts): boolean {
  // Money that has run out does not come back by waiting.
  if (kind === "rate_limited") return facts.code !== "insufficient_quota";
  if (kind === "api") return facts.status === 408 || facts.garbled;
  return kind === "network" || kind === "timeout";
}

/** A failure made of a kind and a sentence, for cases that no error object stands behind. */
export function failure(kind: ModelFailureKind, message: string, retryable = false): ModelFailure {
  return { kind, message, retryable, status: null, retry_after_ms: null };
}

/** Classifies any error of a model call (figures: order of classification). Never throws. */
export function classifyFailure(error: unknown, context: FailureContext): ModelFailure {
  if (context.aborted) return failure("aborted", "The model call was aborted.");
  const facts = readFailureFacts(error, context.exchange);
  const kind = kindOf(facts);
  const clean = context.redact(facts.message);
  return {
    kind,
    message: clean.length > longestMessage ? `${clean.slice(0, longestMessage)}…` : clean,
    retryable: isRetryable(kind, facts),
    status: facts.status,
    retry_after_ms: parseRetryAfter(context.exchange.headers, context.now) ?? facts.retryDelayMs,
  };
}
