// The errors of requests to MCP servers. Their texts name the definition and what to do, and contain no address, no header and no body of a
// response.

import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, SseError } from "@modelcontextprotocol/client";
import { z } from "zod";

import { ThreadholdError } from "#contract/error.ts";
import { isAuthorizationRequired } from "#core/rpc/authorization-required.ts";
import { fieldsOf, parseJson } from "#lib/json-value.ts";

import { outsideText } from "../outside-text.ts";
import { readSentData } from "./plain-message.ts";

/** Why a request to an MCP server failed (phi-core, McpError). */
export type McpErrorKind =
  /** The server could not be reached, refused the request, or did not respond in time. */
  | "Transport"
  /** A response does not match the protocol, has no result, or exceeds a bound. */
  | "Protocol"
  /** The server responded with an error. `code` is its code. */
  | "JsonRpc"
  /** A response is no JSON. */
  | "Serialization"
  /** The program of the server could not be started, or its streams failed. */
  | "Io"
  /** The connection or the client was closed, or the program of the server ended. */
  | "ConnectionClosed";

/** The error of a request to an MCP server. A model or an operator reads its text, which names the server and what to do. */
export class McpServerError extends Error {
  readonly kind: McpErrorKind;
  /** The code of the server's error; null if the server sent none. */
  readonly code: number | null;

  constructor(
    message: string,
    { kind = "Transport", code = null, cause }: { kind?: McpErrorKind; code?: number | null; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.kind = kind;
    this.code = code;
  }
}

/** The code of the error response that is added to a stream that ends without a response. */
export const closedCode = -32_000;

/** The code of the error response that is added for a response above a bound. Servers of the protocol do not use it. */
export const tooMuchCode = -31_999;

/** The error for a response that exceeds a bound. `problem` completes "sent a response that". */
export function tooMuchText(problem: string): string {
  return `sent a response that ${problem}. Ask it for less, or use another tool.`;
}

/** The server did not open a session in time. */
export class NoSessionInTime extends McpServerError {
  constructor(name: string) {
    super(`The MCP server "${name}" did not open a session in time, so it is not asked again in this run.`);
  }
}

/** A response that does not match the protocol. The message names the field. */
export class ProtocolMismatch extends Error {}

/**
 * The server does not know the session any more, and so has not run the request: it refused the message before it handled it. A stream that
 * broke off proves nothing about its request and is no such error.
 */
export class SessionLost extends Error {
  /** The HTTP status. */
  readonly status: number;

  constructor(status: number, cause: unknown) {
    super(`The server has ended the session (HTTP ${status}).`, { cause });
    this.status = status;
  }
}

/** The maximum length of a server's own error text. */
const textLimit = 2000;

/** Returns the HTTP status of a refused request; -1 if the response has an unexpected content type; undefined for any other error. */
export function httpStatus(thrown: unknown): number | undefined {
  if (thrown instanceof SessionLost) return thrown.status;
  if (thrown instanceof SdkHttpError) return thrown.status;
  if (thrown instanceof SseError) return thrown.code;
  if (thrown instanceof SdkError) return thrown.code === SdkErrorCode.ClientHttpUnexpectedContent ? -1 : undefined;
  // The server writes the text of a `ProtocolError`, so this text is not searched for a status.
  const found =
    thrown instanceof Error && !(thrown instanceof ProtocolError)
      ? /\(HTTP (\d{3})\)/.exec(thrown.message)?.[1]
      : undefined;
  return found === undefined ? undefined : Number(found);
}

/** Whether a status states that the session does not exist. The specification demands 404; some servers answer 410 (Gone). */
export function isUnknown(status: number): boolean {
  return status === 404 || status === 410;
}

/**
 * Whether an error shows that the session can no longer be used; the next call then opens another session. A server that does not know a
 * session responds with 404, and many servers with 400. After a broken connection, another process may serve the address. A stream above a
 * bound is not opened again.
 */
export function endsSession(thrown: unknown): boolean {
  if (isClosed(thrown)) return true;
  if (thrown instanceof ProtocolError) {
    return isSentError(thrown) ? isAboutSession(thrown) : thrown.code === tooMuchCode;
  }
  const status = httpStatus(thrown);
  if (status !== undefined) return isUnknown(status) || status === 400;
  return thrown instanceof ThreadholdError || thrown instanceof TypeError;
}

/** The maximum length of the part of a refusal's text that is searched. */
const searchedText = 2000;

/**
 * Converts the error of a sent message. The specification demands 404 for a session that the server does not know; many servers answer 400
 * with a text about the session. `hasSession`: whether the message had the id of a session. Without one, both statuses are about the request.
 */
export function sentError(thrown: unknown, hasSession: boolean): unknown {
  const status = httpStatus(thrown);
  if (!hasSession || !(thrown instanceof Error) || thrown instanceof SessionLost) return thrown;
  // An error without the id of a request is no answer of a tool. After other messages of the call it may be about a call that has run.
  const isStated =
    thrown instanceof ProtocolError ? readSentData(thrown.data)?.isRefusal === true && isAboutSession(thrown) : false;
  const isRefused = (status !== undefined && isUnknown(status)) || (status === 400 && refusesSession(thrown.message));
  return isStated || isRefused ? new SessionLost(status ?? 200, thrown) : thrown;
}

/** Whether a server sent the error. Other errors have codes that servers use as well, such as -32000 for a closed connection. */
export function isSentError(thrown: unknown): boolean {
  return thrown instanceof ProtocolError && readSentData(thrown.data) !== null;
}

/** Whether a request has an error in place of its result: from the server, after its time limit, or because the connection was closed. */
export function isRequestFailure(thrown: unknown): boolean {
  return thrown instanceof ProtocolError || isClosed(thrown) || isTimeout(thrown);
}

/** Whether the connection was closed, or a stream ended, without a response. */
function isClosed(thrown: unknown): boolean {
  if (thrown instanceof SdkError) return thrown.code === SdkErrorCode.ConnectionClosed;
  return thrown instanceof ProtocolError && thrown.code === closedCode && !isSentError(thrown);
}

/** Whether a request reached its time limit, or was cancelled. */
function isTimeout(thrown: unknown): boolean {
  return thrown instanceof SdkError && thrown.code === SdkErrorCode.RequestTimeout;
}

/** Whether the method of a request is one of a later version of the protocol. */
function isLaterMethod(thrown: unknown): boolean {
  return thrown instanceof SdkError && thrown.code === SdkErrorCode.MethodNotSupportedByProtocolVersion;
}

/** Whether an error that a server sent states that the server does not know the session. */
function isAboutSession({ code, message }: ProtocolError): boolean {
  const text = message.trim();
  return code !== invalidParams && text.length <= searchedText && unknownSession.test(text);
}

/** An unquoted word is an id only if it has a digit or is hexadecimal: "session name not found" may be about an argument. */
const sessionId = "(?:[\"'][^\"']*[\"']|[\\da-f-]{3,}|(?=[^\\s\\d]*\\d)[^\\s\"':]+)";
const unknown =
  "(?:not found|does not exist|not recogni[sz]ed|(?:(?:is|was|has) )?(?:not initiali[sz]ed|invalid|unknown|expired|terminated|closed))";
const given = "(?: header)?(?: (?:provided|given|supplied))?";

/**
 * Sentences of servers that do not know the id of a session. A text with more words may be about a session of the tool. SESSION: the session or
 * its id; NAME: the id, as no argument is called.
 */
const unknownSession = new RegExp(
  [
    `(?:no valid|invalid|unknown|expired|(?:invalid|missing) or (?:invalid|missing|expired|unknown)) SESSION${given}`,
    `SESSION ${unknown}(?: or ${unknown})?(?:: ${sessionId})?`,
    `(?:no|missing) (?:the )?NAME${given}`,
    "(?:an? |the )?(?:valid )?NAME(?: header)? (?:is )?(?:required|missing)",
    "mcp-session-id header (?:is )?invalid",
    "(?:the )?server (?:is )?not initiali[sz]ed",
  ]
    .map((sentence) => `^(?:(?:bad request|error|not found)[:,.] *)*(?:${sentence})[.!]?$`)
    .join("|")
    .replaceAll("SESSION", `(?:the )?(?:mcp[ -])?session(?:[ -]?id)?(?::? ${sessionId})?`)
    .replaceAll("NAME", "(?:mcp[ -])?session[ -]id"),
  "i",
);

/** The code of a JSON-RPC error about the parameters of a request, which a tool may have checked. */
const invalidParams = -32_602;

/** The id in refusals of servers with the Python SDK that belong to no request. */
const noRequest = "server-error";

/**
 * Whether the body of a refusal states that the server does not know the session, such as "Bad Request: No valid session ID provided" or "Server
 * not initialized". A JSON-RPC error with the id of a request, one about parameters, and any other text may come from a tool, and so prove
 * nothing: "session is required" may be about an argument.
 */
function refusesSession(text: string): boolean {
  const body = text.replace(/^.*?Error POSTing to endpoint[^:]{0,20}: ?/s, "").trim();
  if (body.length > searchedText) return false;
  const value = parseJson(body);
  const { id = null, error, message } = fieldsOf(value);
  if ((id !== null && id !== noRequest) || fieldsOf(error)["code"] === invalidParams) return false;
  const stated = [fieldsOf(error)["message"], error, message, value, body].find((each) => typeof each === "string");
  return typeof stated === "string" && unknownSession.test(stated.trim());
}

/** Converts a thrown value to an error whose text names the definition `name`. */
export function serverError(name: string, thrown: unknown): Error {
  if (isAuthorizationRequired(thrown)) return thrown;
  if (thrown instanceof McpServerError) return thrown;
  return new McpServerError(`The MCP server "${name}" ${reason(thrown)}`, {
    kind: kindOf(thrown),
    code: thrown instanceof ProtocolError && isSentError(thrown) ? thrown.code : null,
  });
}

function kindOf(thrown: unknown): McpErrorKind {
  if (thrown instanceof ProtocolMismatch || thrown instanceof z.core.$ZodError || httpStatus(thrown) === -1)
    return "Protocol";
  if (thrown instanceof SyntaxError) return "Serialization";
  if (isClosed(thrown)) return "ConnectionClosed";
  if (thrown instanceof ProtocolError) return isSentError(thrown) ? "JsonRpc" : "Protocol";
  if (isLaterMethod(thrown)) return "Protocol";
  // An error of the operating system, such as a broken pipe.
  return thrown instanceof Error && "syscall" in thrown ? "Io" : "Transport";
}

function reason(thrown: unknown): string {
  if (thrown instanceof SessionLost && thrown.status === 200) return "has ended the session.";
  const status = httpStatus(thrown);
  if (status === 401 || status === 403) {
    return `refused the credentials (HTTP ${status}). Set them in the definition's headers.`;
  }
  if (status !== undefined && isUnknown(status)) {
    return `has no endpoint at its address, or has ended the session (HTTP ${status}).`;
  }
  if (status === -1) return "sent a response that is neither JSON nor an event stream. Check the definition's url.";
  if (status !== undefined) return `refused a request (HTTP ${status}).`;
  if (thrown instanceof ThreadholdError) return `could not be reached: ${thrown.message}`;
  if (thrown instanceof ProtocolMismatch) {
    return `sent a response that does not match the protocol: ${outsideText(thrown.message, textLimit)}.`;
  }
  if (thrown instanceof z.core.$ZodError)
    return `sent a response that does not match the protocol${wrongField(thrown)}.`;
  if (thrown instanceof SyntaxError) return "sent a response that is no JSON.";
  if (isClosed(thrown)) return "closed the connection before it responded.";
  if (isTimeout(thrown)) return "did not respond in time, or the call was stopped.";
  if (isLaterMethod(thrown)) return "has a version of the protocol without the method of the request.";
  if (!(thrown instanceof ProtocolError)) return "could not be reached: the connection failed.";
  if (thrown.code === tooMuchCode && !isSentError(thrown)) return outsideText(thrown.message, textLimit);
  return `reported an error: ${outsideText(`MCP error ${thrown.code}: ${thrown.message}`, textLimit)}`;
}

/** The maximum length of the path of a field. */
const pathLimit = 200;

/** The first wrong field of a response. */
function wrongField({ issues: [issue] }: z.core.$ZodError): string {
  const path = issue?.path.map(String).join(".") ?? "";
  return path === "" ? "" : `: \`${outsideText(path, pathLimit)}\` is wrong`;
}
