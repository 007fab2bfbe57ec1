// The two errors of the client. `ThreadholdClientError`: the server responded with an error and its code. `ThreadholdNetworkError`: no
// complete response arrived, so it is unknown whether the server acted. No error contains a token or a URL with a ticket.

import type { ErrorCode } from "#contract/error.ts";
import type { JsonObject } from "#contract/json.ts";

/** A code of the contract, or `unexpected_answer` if the response is not one of the API, for example a proxy's error page. */
export type ClientErrorCode = ErrorCode | "unexpected_answer";

interface ErrorFields {
  code: ClientErrorCode;
  message: string;
  status: number;
  details?: JsonObject | undefined;
  retryAfterMs?: number | null;
}

/** The server responded with an error. */
export class ThreadholdClientError extends Error {
  override readonly name = "ThreadholdClientError";
  readonly code: ClientErrorCode;
  /** The HTTP status; for a closed WebSocket its close code. */
  readonly status: number;
  /** Details of the error, depending on its code. For `invalid_request` they may contain `fields`, a list of `{ path, message }`. */
  readonly details: JsonObject;
  /** Milliseconds to wait before the next attempt; null if the server gave none. */
  readonly retryAfterMs: number | null;

  constructor({ code, message, status, details = {}, retryAfterMs = null }: ErrorFields) {
    super(message);
    this.code = code;
    this.status = status;
    this.details = details;
    this.retryAfterMs = retryAfterMs;
  }
}

/** No complete response arrived: the connection failed, broke off, or timed out. It is unknown whether the server acted on the request. */
export class ThreadholdNetworkError extends Error {
  override readonly name = "ThreadholdNetworkError";
  readonly code = "network";
}

/** Statuses of proxies, gateways and CDNs that report a temporary failure. */
const transientStatuses = /^(?:429|50[234]|52\d|530)$/;

/** Whether a later attempt of the same request may succeed. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ThreadholdNetworkError) return true;
  if (!(error instanceof ThreadholdClientError)) return false;
  if (error.code === "rate_limited" || error.code === "unavailable") return true;
  return error.code === "unexpected_answer" && transientStatuses.test(String(error.status));
}

/** Reads the whole body. A body that breaks off causes a network error. */
export async function textOf(response: Response, signal?: AbortSignal): Promise<string> {
  try {
    return await response.text();
  } catch (thrown) {
    // Chromium rejects an aborted body with its own error, not with the signal's reason.
    signal?.throwIfAborted();
    if (thrown instanceof Error && thrown.name === "AbortError") throw thrown;
    throw new ThreadholdNetworkError("The response broke off.", { cause: thrown });
  }
}

/** Reads the body of an error response, and returns the error that it describes. A body that breaks off causes a network error. */
export async function errorFromResponse(response: Response): Promise<ThreadholdClientError> {
  const { status } = response;
  const retryAfterMs = readRetryAfter(response.headers.get("retry-after"));
  // Every field is checked, because the body may be any JSON.
  const body = tryParse(await textOf(response)) as { error?: Record<string, unknown> | null } | null | undefined;
  const { code, message, details } = body?.error ?? {};
  if (typeof code === "string" && typeof message === "string") {
    return new ThreadholdClientError({
      // A newer server may send a code that this client does not know. It is passed on unchanged.
      code: code as ErrorCode,
      message,
      status,
      details: typeof details === "object" && details !== null ? (details as JsonObject) : undefined,
      retryAfterMs,
    });
  }
  // A browser reports a redirect with `redirect: "manual"` as status 0.
  const what = status === 0 || (status >= 300 && status < 400) ? "A redirect" : `Status ${status}`;
  const text = `${what} from something that is not the API. Check the client's \`url\`.`;
  return new ThreadholdClientError({ code: "unexpected_answer", message: text, status, retryAfterMs });
}

/** Parses JSON; undefined if the text is not JSON. */
export function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads `Retry-After` in seconds, the form that the API sends; null if it is a date, which proxies may send. */
function readRetryAfter(text: string | null): number | null {
  return /^\d{1,6}$/.test(text ?? "") ? Number(text) * 1000 : null;
}
