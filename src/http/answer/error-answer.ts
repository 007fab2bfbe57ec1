// Every refusal on its way out: the body of the contract, the status of its one table, and the headers a code carries.

import { v4 as randomId } from "uuid";

import { httpStatus, ThreadholdError } from "#contract/error.ts";
import type { Refusal } from "#contract/error.ts";

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

/** What is told of a request whose handling broke. */
export interface Breakage {
  request: Request;
  report: (line: string) => void;
}

/**
 * The answer for whatever was thrown: a refusal says what it is, anything else is `internal` with a reference and nothing
 * more, and one structured line in the log has the cause under the same reference.
 */
export function thrownAnswer(thrown: unknown, { request, report }: Breakage): Response {
  if (thrown instanceof ThreadholdError) return errorAnswer(thrown.refusal);
  const reference = randomId();
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { name, message, stack } = error;
  const { pathname } = new URL(request.url);
  report(
    JSON.stringify({
      level: "error",
      event: "internal_error",
      reference,
      method: request.method,
      path: pathname,
      error: { name, message, stack },
    }),
  );
  return errorAnswer({
    code: "internal",
    message: `Something broke on our side. Reference ${reference}.`,
    details: { reference },
  });
}
