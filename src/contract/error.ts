// The closed set of error codes, the one error class, and the two tables that map a code to an HTTP status and to a
// WebSocket close code. Every refusal a caller can see is one of these; anything else becomes `internal` without details.

import { z } from "zod";

import type { JsonObject } from "./json.ts";

const statuses = {
  /** The request does not have the shape the contract asks for; `details` name the field. */
  invalid_request: 400,
  /** No valid credentials came with the request. */
  unauthorized: 401,
  /** The credentials are valid but do not allow this. */
  forbidden: 403,
  thread_not_found: 404,
  message_not_found: 404,
  run_not_found: 404,
  log_not_found: 404,
  agent_not_found: 404,
  prompt_not_found: 404,
  model_not_found: 404,
  tool_not_found: 404,
  tool_call_not_found: 404,
  file_not_found: 404,
  route_not_found: 404,
  /** The route exists, but not for this method. */
  method_not_allowed: 405,
  /** The state of the thread does not allow this now, or a key was used again with another body. */
  conflict: 409,
  /** The body, or a part of it, is over a limit. */
  too_large: 413,
  /** Nothing of the range of bytes that was asked for is there. */
  range_not_satisfiable: 416,
  /** The body is of a content type the route does not read. */
  unsupported_media_type: 415,
  /** An input filter refused the message. */
  input_rejected: 422,
  /** A WebSocket route was asked for without an upgrade. */
  upgrade_required: 426,
  /** Too many requests, streams or runs; `Retry-After` says when to come back. */
  rate_limited: 429,
  /** Something broke on our side; the log has the cause, the answer does not. */
  internal: 500,
  /** The server does not offer this. */
  not_available: 501,
  /** The object or the catalog is overloaded or out of reach for the moment. */
  unavailable: 503,
  /** No token, secret or key set is configured, so nothing is served. */
  auth_not_configured: 503,
} as const;

/** A code of the contract's closed set. */
export type ErrorCode = keyof typeof statuses;

/** Every code, for schemas and tables. */
export const errorCodes = Object.keys(statuses) as [ErrorCode, ...ErrorCode[]];

/** The HTTP status that a code is answered with. */
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

/** Close code of a socket that never acknowledged what it was sent (architecture §5.7). */
export const tooSlowCloseCode = 4408;

/** The WebSocket close code that a code is answered with; 4400 for every refusal without one of its own. */
export function webSocketCloseCode(code: ErrorCode): number {
  return closeCodes[code] ?? 4400;
}

/** Body of every error answer: `{"error": {"code", "message", "details"}}`. */
export const errorBodySchema = z.object({
  error: z.object({
    code: z.enum(errorCodes),
    message: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
});

/** What an error says of itself, as data: it crosses the object's RPC border in this form. */
export interface Refusal {
  code: ErrorCode;
  message: string;
  details?: JsonObject | undefined;
  /** Milliseconds until another try makes sense; sent as `Retry-After` in whole seconds. */
  retry_after_ms?: number | undefined;
}

/** The one error class. Thrown at the edges, turned into data where it crosses one. */
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

/** Shorthand for a thrown refusal. */
export function refuse(code: ErrorCode, message: string, details?: JsonObject): ThreadholdError {
  return new ThreadholdError({ code, message, details });
}
