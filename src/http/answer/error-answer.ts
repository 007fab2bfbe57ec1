// Every refusal on its way out: the body of the contract, the status of its one table, and the headers a code carries.

import { v4 as randomId } from "uuid";

import { httpStatus, ThreadholdError } from "#contract/error.ts";
import type { Refusal } from "#contract/error.ts";
import { causeOf, type Log } from "#lib/log.ts";

import { jsonAnswer } from "./json-answer.ts";

/** The answer for a refusal. */
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

/** A request that failed, and the log. */
export interface Breakage {
  request: Request;
  log: Log;
}

/**
 * The answer for any thrown value. A refusal is answered as it is, and the log gets its cause if it has one, such as a database
 * that failed. Anything else is `internal`: the answer has a reference only, and the log has the cause under that reference.
 */
export function thrownAnswer(thrown: unknown, { request, log }: Breakage): Response {
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
