// Reads the facts of a failed model request from a thrown or streamed value: an error of the AI SDK, a provider's error object inside a
// stream, or any other value. It only reads values, and makes no decisions about retries. The shapes and codes of all providers are tested,
// because gateways pass on the errors of other providers.

import { isObject, parseJson } from "#lib/json-value.ts";
import type { Fields } from "#lib/json-value.ts";
import { isVisible } from "#lib/visible-text.ts";

import { DamagedAnswer } from "./damaged-answer.ts";
import { sentenceOf } from "./error-sentence.ts";
import type { Exchange } from "./observed-fetch.ts";
import { messageOfPackage, messageOfUnreadable } from "./reported-error.ts";

/** The type of the error for a refusal in place of a stream whose fields name no class of errors. Its message may name one. */
const refusalType = "invalid_answer";

/** The type of the error for a response that is neither a stream nor an error of the provider. It is classified like the status 400. */
export const unreadableType = "invalid_answer_form";

/** The facts of a failure. */
export interface FailureFacts {
  /**
   * HTTP status. For an error inside a stream with status 200: the status that corresponds to the type or code of the error. Null if
   * unknown.
   */
  status: number | null;
  /** The provider's message, or a message of this file if it gave none. */
  message: string;
  /** All texts of the failure, to search for phrases. */
  text: string;
  /** The `code` or `type` of the error. */
  code: string | null;
  /** The response has a status and no body. */
  emptyBody: boolean;
  /** The connection failed, not the provider. */
  transport: boolean;
  /** The received text is not JSON, so a proxy or the connection damaged it. */
  garbled: boolean;
  /** The response is neither in the form of the provider's protocol nor an error of the provider. */
  unreadable: boolean;
  /** The response with status 200 is a refusal or a text in place of an answer, so that only its message names the class of the error. */
  inPlace: boolean;
  /** The provider accepted the request and later sent an error with a message inside the stream. */
  reportedInStream: boolean;
  /** The object with the fields `message`, `type` and `code`. */
  body: Record<string, unknown> | null;
}

function asFields(value: unknown): Fields | null {
  return isObject(value) ? value : null;
}

// The statuses that correspond to the types, codes and RPC names of error objects. The first match counts.
const statusOfCode: readonly (readonly [RegExp, number])[] = [
  [/rate_limit|insufficient_quota|resource_exhausted|too_many_requests|throttl/, 429],
  [/authentication|invalid_api_key|unauthenticated/, 401],
  [/permission|access_?denied/, 403],
  [/not_?found/, 404],
  [/request_too_large/, 413],
  [/overloaded|unavailable/, 503],
  [/timeout|deadline_exceeded/, 504],
  [/invalid|validation|failed_precondition|out_of_range|context_length|tool_use_failed/, 400],
  [/api_error|server_error|internal/, 500],
];

function statusFromCode(code: unknown): number | null {
  if (typeof code === "number") return code >= 400 && code <= 599 ? code : null;
  if (typeof code !== "string") return null;
  if (/^[45]\d\d$/.test(code)) return Number(code);
  const lower = code.toLowerCase();
  return statusOfCode.find(([name]) => name.test(lower))?.[1] ?? null;
}

const typeOfStatus = new Map([
  [429, "rate_limit_error"],
  [401, "authentication_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [503, "overloaded_error"],
  [504, "timeout_error"],
]);

/**
 * The type for an error that came in place of a stream: one that `statusOfCode` has for the class of the code or of the type, because some
 * packages drop codes. `refusalType` if neither names a class.
 */
export function typeOfRefusal(code: unknown, type: unknown): string {
  const status = statusFromCode(code) ?? statusFromCode(type);
  if (status === null) return refusalType;
  return typeOfStatus.get(status) ?? (status >= 500 ? "api_error" : refusalType);
}

/** The object with message, type and code: the value itself, or an `error` inside it. */
function errorObject(value: unknown): Fields | null {
  const outer = asFields(Array.isArray(value) ? value[0] : value);
  if (outer === null) return null;
  return asFields(outer["error"]) ?? outer;
}

function stringField(fields: Fields | null, name: string): string | null {
  const value = fields?.[name];
  return typeof value === "string" && isVisible(value) ? value : null;
}

/** A body that is plain text, neither JSON nor HTML. */
function plainText(body: string | null): string | null {
  const text = body?.trim() ?? "";
  return !isVisible(text) || /^[<{[]/.test(text) ? null : text;
}

/** The text for a connection that broke while the body was read; null for any other failure. The packages and platforms name no cause. */
function brokenAnswer({ broken, respondingHost }: Exchange): string | null {
  return broken && respondingHost !== null
    ? `The connection to ${respondingHost} broke before the answer was complete.`
    : null;
}

/** Reads the facts of a failure. `exchange` is the observed part of its HTTP exchange. */
export function readFailureFacts(error: unknown, exchange: Exchange): FailureFacts {
  const fields = asFields(error) ?? {};
  const bodyText = stringField(fields, "responseBody");
  const parsed = bodyText === null ? undefined : parseJson(bodyText);
  // The AI SDK's error for a chunk that it cannot read has the chunk as `value`. The chunk may be an error of unknown shape.
  const unread = asFields(fields["value"]);
  const isThrown = error instanceof Error || "statusCode" in fields;
  const reported = isThrown ? (fields["data"] ?? unread) : error;
  const body = errorObject(parsed) ?? errorObject(reported);

  const httpStatus = exchange.status !== null && exchange.status >= 400 ? exchange.status : null;
  const codes = [body?.["code"], body?.["type"], body?.["status"], fields["statusCode"]];
  const status = httpStatus ?? codes.map(statusFromCode).find((found) => found !== null) ?? null;

  const raw = sentenceOf(asFields(body?.["metadata"])?.["raw"]);
  const reason = sentenceOf(parsed) ?? sentenceOf(reported) ?? plainText(bodyText);
  // If Anthropic's package cannot read the first chunk, the package throws an error with a status. The body of that error has the name of
  // the causing error.
  const name = asFields(parsed)?.["name"] ?? fields["name"];
  // The error of a broken connection is the platform's, also if it is a `TypeError`.
  const ofPackage = exchange.broken ? null : messageOfPackage(name, exchange.status !== null);
  const unreadable = reason === null ? (messageOfUnreadable(name) ?? ofPackage) : null;
  const damage = error instanceof DamagedAnswer ? error.message : null;
  const silent = httpStatus === null ? "no reason given" : `The server sent the status ${httpStatus} without a reason.`;
  const message = reason ?? unreadable ?? damage ?? brokenAnswer(exchange) ?? stringField(fields, "message") ?? silent;
  const cause = fields["cause"] instanceof Error ? fields["cause"].message : null;
  const text = [message, raw, cause, bodyText, stringField(body, "type"), stringField(body, "code")]
    .filter((part) => part !== null)
    .join("\n");

  return {
    status,
    message: raw === null || raw === message ? message : `${message}: ${raw}`,
    text,
    code: stringField(body, "code") ?? stringField(body, "type"),
    emptyBody: httpStatus !== null && !exchange.broken && !exchange.mayHaveText && bodyText === null && body === null,
    transport: exchange.broken || fields["name"] === "AI_EmptyResponseBodyError",
    garbled: fields["name"] === "AI_JSONParseError",
    unreadable: unreadable !== null || body?.["type"] === unreadableType,
    inPlace: httpStatus === null && (body?.["type"] === unreadableType || body?.["type"] === refusalType),
    reportedInStream: httpStatus === null && exchange.begun && !exchange.broken && reason !== null,
    body,
  };
}
