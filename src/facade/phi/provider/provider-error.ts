// The errors of providers (REQ-020), and their conversion from and to the failures of the core. There is one classification of responses, the
// core's (decision 27: errors are classified once).

import type { ModelFailure, ModelFailureKind } from "#core/ports/model-port.ts";
import { classifyFailure } from "#models/classify-failure.ts";
import { newExchange } from "#models/observed-fetch.ts";
import { createRedact } from "#models/redact.ts";

/** The variants of a provider's error. */
export type ProviderErrorKind = "Api" | "Network" | "Auth" | "RateLimited" | "ContextOverflow" | "Cancelled" | "Other";

const kindOf: Readonly<Record<ModelFailureKind, ProviderErrorKind>> = {
  overflow: "ContextOverflow",
  rate_limited: "RateLimited",
  auth: "Auth",
  not_configured: "Auth",
  network: "Network",
  timeout: "Network",
  aborted: "Cancelled",
  api: "Api",
};

const failureKindOf: Readonly<Record<ProviderErrorKind, ModelFailureKind>> = {
  Api: "api",
  Network: "network",
  Auth: "auth",
  RateLimited: "rate_limited",
  ContextOverflow: "overflow",
  Cancelled: "aborted",
  Other: "api",
};

/** A request to a provider failed. Only `RateLimited` and `Network` are retried (REQ-072). */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly kind: ProviderErrorKind;
  /** The milliseconds that the provider asks to wait; null if it asks for none. Always null for other kinds than `RateLimited`. */
  readonly retry_after_ms: number | null;
  /** The HTTP status of the response; null if there was none. */
  readonly status: number | null;

  private constructor(
    kind: ProviderErrorKind,
    message: string,
    { retry_after_ms = null, status = null }: { retry_after_ms?: number | null; status?: number | null } = {},
  ) {
    super(message);
    this.kind = kind;
    this.retry_after_ms = retry_after_ms;
    this.status = status;
  }

  /** The provider refused the request, or failed for a reason that a retry does not change. */
  static api(message: string): ProviderError {
    return new ProviderError("Api", message);
  }

  /** The connection or the server failed. */
  static network(message: string): ProviderError {
    return new ProviderError("Network", message);
  }

  /** The key is missing or was refused. */
  static auth(message: string): ProviderError {
    return new ProviderError("Auth", message);
  }

  /** There were too many requests. `retry_after_ms`: the wait that the provider asks for. */
  static rateLimited(retry_after_ms: number | null = null, message: string = rateText(retry_after_ms)): ProviderError {
    return new ProviderError("RateLimited", message, { retry_after_ms: waitOf(retry_after_ms) });
  }

  /** The request is longer than the context window of the model. */
  static contextOverflow(message: string): ProviderError {
    return new ProviderError("ContextOverflow", message);
  }

  /** The request was cancelled. */
  static cancelled(): ProviderError {
    return new ProviderError("Cancelled", "The request was cancelled.");
  }

  static other(message: string): ProviderError {
    return new ProviderError("Other", message);
  }

  /**
   * The error of a response with an error status (REQ-075). `message` is its body or the text in it. It is the classification of this
   * package's own providers: a 429 is never an overflow, and a failure of the server is `Network`, as it is retried.
   */
  static classify(status: number, message: string): ProviderError {
    return ProviderError.fromFailure(classified(status, message));
  }

  /** Whether a response reports that the request is longer than the context window (REQ-076). */
  static isContextOverflow(status: number, message: string): boolean {
    return classified(status, message).kind === "overflow";
  }

  /** Whether the request is repeated (REQ-072). */
  isRetryable(): boolean {
    return this.kind === "RateLimited" || this.kind === "Network";
  }

  /** The milliseconds that the provider asks to wait before the next attempt; null if it asks for none (REQ-073). */
  retryAfter(): number | null {
    return this.retry_after_ms;
  }

  /** Whether the request was longer than the context window of the model. */
  isContextOverflow(): boolean {
    return this.kind === "ContextOverflow";
  }

  /** The error of a failure of the core. Its kind follows from whether the core retries the failure. */
  static fromFailure({ kind, message, retryable, status, retry_after_ms }: ModelFailure): ProviderError {
    const named = kindOf[kind];
    const isRetried = named === "RateLimited" || named === "Network";
    const variant = retryable === isRetried ? named : retryable ? "Network" : "Api";
    return new ProviderError(variant, message, {
      retry_after_ms: variant === "RateLimited" ? retry_after_ms : null,
      status,
    });
  }

  /** The failure of the core for this error. */
  toFailure(): ModelFailure {
    const { message, retry_after_ms, status } = this;
    return { kind: failureKindOf[this.kind], message, retryable: this.isRetryable(), status, retry_after_ms };
  }
}

function classified(status: number, message: string): ModelFailure {
  const exchange = { ...newExchange(), status };
  const error = { statusCode: status, responseBody: message, message };
  return classifyFailure(error, { exchange, redact: createRedact([]), now: Date.now(), aborted: false });
}

/** A wait in milliseconds. A provider's value that is no wait counts as none. */
function waitOf(milliseconds: number | null): number | null {
  return milliseconds !== null && Number.isFinite(milliseconds) && milliseconds >= 0 ? Math.round(milliseconds) : null;
}

function rateText(milliseconds: number | null): string {
  const wait = waitOf(milliseconds);
  return wait === null
    ? "There were too many requests."
    : `There were too many requests. The provider asks to wait ${wait} ms.`;
}
