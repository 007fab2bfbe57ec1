// Classifies the error of a model request, so that the retry engine can decide: overflow, rate limit, auth, network or api, tested in this
// order (decision 22: classes of failures; decision 23: overflow). A 429 is never an overflow. The phrases of all providers are tested,
// because gateways pass on the errors of other providers.

import type { ModelFailure, ModelFailureKind } from "#core/ports/model-port.ts";

import { readFailureFacts, type FailureFacts } from "./failure-facts.ts";
import type { Exchange } from "./observed-fetch.ts";
import { reportsOverflow } from "./overflow-phrases.ts";
import type { Redact } from "./redact.ts";
import { readAskedWait, type AskedWait } from "./retry-after.ts";

/** The model request that failed. */
export interface FailureContext {
  exchange: Exchange;
  redact: Redact;
  /** Milliseconds since 1970, for a `Retry-After` that is a date. */
  now: number;
  /** The caller aborted the model request, so the error is a consequence of that. */
  aborted: boolean;
}

// Some servers send an HTML page as the message. It must not fill the log.
const longestMessage = 2_000;

// Google and xAI refuse an invalid key with status 400.
const refusedKey =
  /api[ _-]?key[^.\n]{0,30}\b(?:not valid|invalid|incorrect|expired|not found|missing|revoked|disabled)|\b(?:invalid|incorrect|missing|expired|no)\b[^.\n]{0,20}\bapi[ _-]?key|api_key_invalid/i;

// Refusals that another key would not change: the request's region, its content, or a network rule.
const refusedElsewhere =
  /\b(?:country|countries|territory|territories|region)\b[^.\n]{0,60}\bnot (?:supported|available|allowed)|not (?:supported|available|allowed) in your|user location is not supported|unsupported_country|request not allowed|moderation|flagged|content[_ ]policy|safety system|usage polic|firewall|virtual network|private endpoint|network settings|error code: 1\d{3}/i;

// Google asks to wait for seconds even if a daily quota is exhausted.
const dailyQuota = /PerDay(?![a-z])/;
const perDay = /\bper[ -]day\b/i;

// Workers AI has a free allocation for each day.
const moneyIsOut =
  /insufficient_quota|billing_hard_limit|insufficient[_ ]balance|credit balance is too low|daily free allocation/i;

const busy = /rate[ _-]?limit|too many requests|request limit reached|requests? per (?:second|minute)/i;

// What proxies write in place of an answer if the server is down.
const serverFailed =
  /\b(?:service unavailable|bad gateway|gateway time-?out|internal server error|temporarily unavailable|overloaded|upstream connect error)\b/i;

function kindOf(facts: FailureFacts): ModelFailureKind {
  const { status, text } = facts;
  if (status !== 429) {
    if (reportsOverflow(text)) return "overflow";
    if ((status === 400 || status === 413) && facts.emptyBody) return "overflow";
  }
  if (status === 429) return "rate_limited";
  if (status === 401) return "auth";
  if (facts.inPlace) {
    if (busy.test(text)) return "rate_limited";
    if (refusedKey.test(text)) return "auth";
    if (serverFailed.test(text)) return "network";
  }
  if (status === 403) return refusedElsewhere.test(text) ? "api" : "auth";
  if (status === 400 && refusedKey.test(text)) return "auth";
  if (status !== null && status >= 500) return "network";
  if (status === null) {
    if (busy.test(text)) return "rate_limited";
    if (refusedKey.test(text)) return "auth";
    if (facts.transport) return "network";
  }
  return "api";
}

/**
 * Statuses after which a retry may succeed: 408 (the request took too long), 409 (it conflicted with another request) and 424 (the model of
 * Bedrock failed).
 */
const passing = new Set([408, 409, 424]);

function isRetryable(kind: ModelFailureKind, facts: FailureFacts, wait: AskedWait): boolean {
  if (wait.tooLong) return false;
  if (kind === "rate_limited") {
    // Waiting does not restore an account's balance, and a daily quota is restored later than the longest wait before a retry.
    if (moneyIsOut.test(facts.text) || dailyQuota.test(facts.text)) return false;
    return wait.ms !== null || !perDay.test(facts.text);
  }
  if (kind !== "api") return kind === "network" || kind === "timeout";
  if (facts.status !== null) return passing.has(facts.status);
  // The provider accepted the request and then reported an error of unknown class, so the server failed while it answered.
  return facts.garbled || facts.reportedInStream;
}

/** Creates a failure that does not come from a thrown error. */
export function failure(kind: ModelFailureKind, message: string, retryable = false): ModelFailure {
  return { kind, message, retryable, status: null, retry_after_ms: null };
}

/** Classifies any error of a model request (figures.md, "Order of classification"). Never throws. */
export function classifyFailure(error: unknown, context: FailureContext): ModelFailure {
  if (context.aborted) return failure("aborted", "The model call was aborted.");
  const facts = readFailureFacts(error, context.exchange);
  const kind = kindOf(facts);
  const { body, message: sentence } = facts;
  const wait = readAskedWait({ headers: context.exchange.headers, body, sentence }, context.now);
  const { silentHost } = context.exchange;
  const address = kind !== "network" || silentHost === null ? "" : ` (No response came from ${silentHost}.)`;
  const clean = context.redact(facts.message + address);
  return {
    kind,
    message: clean.length > longestMessage ? `${clean.slice(0, longestMessage)}…` : clean,
    retryable: isRetryable(kind, facts, wait),
    status: facts.status,
    retry_after_ms: wait.ms,
    ...(facts.unreadable ? { unreadable: true } : {}),
  };
}
