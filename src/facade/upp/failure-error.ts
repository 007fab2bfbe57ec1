// Converts the failure of a model request, and the end of a run, to errors with UPP's codes.

import type { ModelFailure } from "#core/ports/model-port.ts";
import type { RunEnd } from "#core/ports/strategy-port.ts";

import { codeOfStatus, ErrorCode, UPPError } from "./upp-error.ts";

/**
 * The code of a failure. `kind` takes precedence over the status, because a refused key and a request that is too long may both have the
 * status 400.
 */
function codeOfFailure({ kind, status, unreadable, retryable, retry_after_ms: wait }: ModelFailure): ErrorCode {
  if (unreadable === true) return ErrorCode.InvalidResponse;
  // A quota or a balance is exhausted: no later attempt succeeds.
  if (kind === "rate_limited" && !retryable && wait === null) return ErrorCode.QuotaExceeded;
  switch (kind) {
    case "overflow":
      return ErrorCode.ContextLengthExceeded;
    case "auth":
    case "not_configured":
      return ErrorCode.AuthenticationFailed;
    case "timeout":
      return ErrorCode.Timeout;
    case "aborted":
      return ErrorCode.Cancelled;
    case "rate_limited":
    case "network":
    case "api":
      if (status !== null) return codeOfStatus(status);
      return kind === "rate_limited"
        ? ErrorCode.RateLimited
        : kind === "network"
          ? ErrorCode.NetworkError
          : ErrorCode.ProviderError;
  }
}

/** The error for a failed model request. */
export function errorOfFailure(failure: ModelFailure, provider: string): UPPError {
  const { message, status, retry_after_ms: retryAfterMs, unreadable } = failure;
  // An unreadable answer arrived with the status 200. The failure has a different status, which was chosen to classify it.
  const statusCode = unreadable === true ? undefined : (status ?? undefined);
  const error = new UPPError(message, codeOfFailure(failure), provider, "llm", statusCode);
  return retryAfterMs === null ? error : Object.assign(error, { retryAfterMs });
}

/** The error for a request that was aborted. */
export function cancelled(provider: string, cause?: unknown): UPPError {
  return new UPPError("The request was aborted.", ErrorCode.Cancelled, provider, "llm", undefined, cause);
}

const codesOfReasons: ReadonlyMap<string, ErrorCode> = new Map([
  ["content_filter", ErrorCode.ContentFiltered],
  ["conflict", ErrorCode.InvalidRequest],
  ["plan_failed", ErrorCode.InvalidResponse],
]);

/** The error for a run that ended without a failed model request. */
export function errorOfEnd({ reason, error }: RunEnd, provider: string): UPPError {
  const message = error?.message ?? `The request ended early: ${reason ?? "no reason is known"}.`;
  return new UPPError(message, codesOfReasons.get(reason ?? "") ?? ErrorCode.ProviderError, provider, "llm");
}
