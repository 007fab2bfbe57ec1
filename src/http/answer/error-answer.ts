// Responses for errors: the body of the contract, the HTTP status of the code, and the headers that some codes require.

import { v4 as randomId } from "uuid";

import { httpStatus, ThreadholdError } from "#contract/error.ts";
import type { Refusal } from "#contract/error.ts";
import { causeOf, type Log } from "#lib/log-port.ts";

import { jsonAnswer } from "./json-answer.ts";

/** The response for a refusal. */
export function errorAnswer(refusal: Refusal, extra: Record<string, string> = {}): Response {
  const { code, message, details, retry_after_ms: retryAfter } = refusal;
  const headers = { ...extra };
  if (code === "unauthorized") headers["www-authenticate"] = "Bearer";
  if (code === "upgrade_required") headers["upgrade"] = "websocket";
  if (code === "range_not_satisfiable") headers["content-range"] = `bytes */${Number(details?.["size"])}`;
  if (retryAfter !== undefined) headers["retry-after"] = String(Math.max(1, Math.ceil(retryAfter / 1000)));
  const error = details === undefined ? { code, message } : { code, message, details };
  return jsonAnswer({ error }, httpStatus(code), headers);
}

/** The request that failed, and a function that writes to the log. */
export interface FailedRequest {
  request: Request;
  log: Log;
}

/**
 * The response for any thrown value. A `ThreadholdError` keeps its code and message; its cause, such as a failed database, goes to
 * the log. Any other value becomes `internal`: the response has a reference only, and the log has the cause with that reference.
 */
export function thrownAnswer(thrown: unknown, { request, log }: FailedRequest): Response {
  const { method, url } = request;
  const where = { method, path: new URL(url).pathname };
  if (thrown instanceof ThreadholdError) {
    const { refusal, cause } = thrown;
    if (cause !== undefined) log("error", refusal.code, { ...where, cause: causeOf(cause) });
    return errorAnswer(refusal);
  }
  const reference = randomId();
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { name, message, stack } = error;
  log("error", "internal_error", { reference, ...where, error: { name, message, stack } });
  return errorAnswer({
    code: "internal",
    message: `Something broke on our side. Reference ${reference}.`,
    details: { reference },
  });
}
