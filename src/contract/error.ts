// The error codes, the error class, and the tables that map a code to an HTTP status and to a WebSocket close code. A caller sees only
// these codes; any other error becomes `internal` without details.

import type { JsonObject } from "./json.ts";

const statuses = {
  /** The request does not match the route's schema; `details` name the field. */
  invalid_request: 400,
  /** The request has no valid credentials. */
  unauthorized: 401,
  /** The credentials are valid but do not allow this request. */
  forbidden: 403,
  thread_not_found: 404,
  message_not_found: 404,
  run_not_found: 404,
  log_not_found: 404,
  agent_not_found: 404,
  prompt_not_found: 404,
  model_not_found: 404,
  tool_not_found: 404,
  source_not_found: 404,
  skill_not_found: 404,
  tool_call_not_found: 404,
  file_not_found: 404,
  route_not_found: 404,
  /** The route exists, but not for this method. */
  method_not_allowed: 405,
  /** The state of the thread or the definition does not allow the request now, or an idempotency key was used again with another body. */
  conflict: 409,
  /** The body, or a part of it, is over a limit. */
  too_large: 413,
  /** The requested range of bytes is outside of the file. */
  range_not_satisfiable: 416,
  /** The body has a content type that the route does not accept. */
  unsupported_media_type: 415,
  /** An input filter refused the message. */
  input_rejected: 422,
  /** A WebSocket route was requested without an upgrade. */
  upgrade_required: 426,
  /** Too many requests, streams or runs. `Retry-After` contains the seconds to wait. */
  rate_limited: 429,
  /** An error inside the server. The log has the cause; the response does not. */
  internal: 500,
  /** The server does not support the requested function. */
  not_available: 501,
  /** The object or the catalog is overloaded or temporarily unreachable. */
  unavailable: 503,
  /**
   * Authentication is not configured, or its configuration is invalid. For the route of tickets: no secret that can sign tickets is
   * configured.
   */
  auth_not_configured: 503,
} as const;

/** A code of the contract's closed set. */
export type ErrorCode = keyof typeof statuses;

/** Every code, for schemas and tables. The annotation lets a bundler drop a list that nothing reads. */
export const errorCodes = /* @__PURE__ */ Object.keys(statuses) as [ErrorCode, ...ErrorCode[]];

/** The HTTP status of a code's responses. */
export function httpStatus(code: ErrorCode): (typeof statuses)[ErrorCode] {
  return statuses[code];
}

const closeCodes: Partial<Record<ErrorCode, number>> = {
  unauthorized: 4401,
  forbidden: 4403,
  thread_not_found: 4404,
  rate_limited: 4429,
  internal: 1011,
  unavailable: 1013,
};

/** Close code of a socket whose client does not read or acknowledge events fast enough (architecture §5.7). */
export const tooSlowCloseCode = 4408;

/** The WebSocket close code of an error code; 4400 for every error code without a close code of its own. */
export function webSocketCloseCode(code: ErrorCode): number {
  return closeCodes[code] ?? 4400;
}

/** An error as data: it crosses the RPC border of an object in this form. */
export interface Refusal {
  code: ErrorCode;
  message: string;
  details?: JsonObject | undefined;
  /** Milliseconds after which a retry may succeed. Sent as `Retry-After` in whole seconds. */
  retry_after_ms?: number | undefined;
}

/** The one class of errors with a code. It is turned into data where it crosses an RPC border. */
export class ThreadholdError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal, options?: ErrorOptions) {
    super(refusal.message, options);
    this.name = "ThreadholdError";
    this.refusal = refusal;
  }

  get code(): ErrorCode {
    return this.refusal.code;
  }
}

/** Creates a refusal to throw. */
export function refuse(code: ErrorCode, message: string, details?: JsonObject): ThreadholdError {
  return new ThreadholdError({ code, message, details });
}
