// The error of UPP's functions, its codes, and the code for an HTTP status.

/** The codes of `UPPError`. */
export const ErrorCode = {
  AuthenticationFailed: "AUTHENTICATION_FAILED",
  RateLimited: "RATE_LIMITED",
  ContextLengthExceeded: "CONTEXT_LENGTH_EXCEEDED",
  ModelNotFound: "MODEL_NOT_FOUND",
  InvalidRequest: "INVALID_REQUEST",
  InvalidResponse: "INVALID_RESPONSE",
  ContentFiltered: "CONTENT_FILTERED",
  QuotaExceeded: "QUOTA_EXCEEDED",
  ProviderError: "PROVIDER_ERROR",
  NetworkError: "NETWORK_ERROR",
  Timeout: "TIMEOUT",
  Cancelled: "CANCELLED",
} as const;

/** A code of `UPPError`. */
export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

/** The kind of model that a request was for. */
export type Modality = "llm" | "embedding" | "image";

/** The error of the functions of this package entry: a failed request, or an argument that is refused. */
export class UPPError extends Error {
  override readonly name = "UPPError";
  readonly code: ErrorCode;
  /** The name of the provider; an empty text for an error that no provider is involved in. */
  readonly provider: string;
  readonly modality: Modality;
  /** The HTTP status of the provider's response, if there was one. */
  readonly statusCode?: number;
  /** Milliseconds to wait before the request is repeated, if the provider stated a time. */
  readonly retryAfterMs?: number;

  // oxlint-disable-next-line eslint/max-params -- the document fixes the parameters
  constructor(
    message: string,
    code: ErrorCode,
    provider: string,
    modality: Modality,
    statusCode?: number,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.provider = provider;
    this.modality = modality;
    if (statusCode !== undefined) this.statusCode = statusCode;
  }
}

/** Creates an error for input that is refused before a request is sent. */
export function refusal(message: string, provider = ""): UPPError {
  return new UPPError(message, ErrorCode.InvalidRequest, provider, "llm");
}

const codes: ReadonlyMap<number, ErrorCode> = new Map([
  [400, ErrorCode.InvalidRequest],
  [401, ErrorCode.AuthenticationFailed],
  [402, ErrorCode.QuotaExceeded],
  [403, ErrorCode.AuthenticationFailed],
  [404, ErrorCode.ModelNotFound],
  [408, ErrorCode.Timeout],
  [409, ErrorCode.InvalidRequest],
  [413, ErrorCode.ContextLengthExceeded],
  [422, ErrorCode.InvalidRequest],
  [429, ErrorCode.RateLimited],
  [451, ErrorCode.ContentFiltered],
]);

/** The code for the status of an error response. */
export function codeOfStatus(status: number): ErrorCode {
  return codes.get(status) ?? ErrorCode.ProviderError;
}
