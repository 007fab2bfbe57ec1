// What a client throws. What the server refused is one class with the contract's code; what never came to an answer is another,
// since only of the former is it known that nothing, or what, was done. Neither ever holds a token or a URL with a ticket.

import type { ErrorCode } from "#contract/error.ts";
import type { JsonObject } from "#contract/json.ts";

/** A code of the contract, or `unexpected_answer` for one that is not of the contract's form, such as a proxy's page. */
export type ClientErrorCode = ErrorCode | "unexpected_answer";

interface Facts {
  code: ClientErrorCode;
  message: string;
  status: number;
  details?: JsonObject | undefined;
  retryAfterMs?: number | null;
}

/** The server answered, and refused. */
export class ThreadholdClientError extends Error {
  override readonly name = "ThreadholdClientError";
  readonly code: ClientErrorCode;
  /** The HTTP status; of a socket that was closed, its close code. */
  readonly status: number;
  /** What the code has to say beside its message; of `invalid_request` the `fields`. */
  readonly details: JsonObject;
  /** Milliseconds until another try makes sense; null where the server did not say. */
  readonly retryAfterMs: number | null;

  constructor({ code, message, status, details, retryAfterMs }: Facts) {
    super(message);
    this.code = code;
    this.status = status;
    this.details = details ?? {};
    this.retryAfterMs = retryAfterMs ?? null;
  }
}

/** No answer came: no connection, one that was cut, or nothing in time. Whether the server did something is not known. */
export class ThreadholdNetworkError extends Error {
  override readonly name = "ThreadholdNetworkError";
  readonly code = "network";
}

/** Of what stands between a client and the API: gateways that reach nothing, or hear nothing in time, and an edge's own codes. */
const passingStatuses = /^(?:429|50[234]|52\d|530)$/;

/** Whether a later try of the same may succeed. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ThreadholdNetworkError) return true;
  if (!(error instanceof ThreadholdClientError)) return false;
  if (error.code === "rate_limited" || error.code === "unavailable") return true;
  return error.code === "unexpected_answer" && passingStatuses.test(String(error.status));
}

/** The error that a refused answer speaks of. Reads its body. */
export async function errorOfAnswer(response: Response): Promise<ThreadholdClientError> {
  const { status } = response;
  const retryAfterMs = readRetryAfter(response.headers.get("retry-after"));
  const body: unknown = await response.json().catch(() => null);
  const error = field(body, "error");
  const code = field(error, "code");
  const message = field(error, "message");
  if (typeof code === "string" && typeof message === "string") {
    const details = field(error, "details");
    return new ThreadholdClientError({
      // Codes may be added: one this client does not know is passed on as it came.
      code: code as ErrorCode,
      message,
      status,
      details: typeof details === "object" && details !== null ? (details as JsonObject) : undefined,
      retryAfterMs,
    });
  }
  // A browser shows a redirect that was not followed as status 0.
  const what =
    status === 0 || (status >= 300 && status < 400) ? "A redirect, which is not followed" : `Status ${status}`;
  const said = `${what} from something that is not the API. Check the client's \`url\`.`;
  return new ThreadholdClientError({ code: "unexpected_answer", message: said, status, retryAfterMs });
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** Seconds, as the API sends them; a date, as proxies may, is not read. */
function readRetryAfter(text: string | null): number | null {
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) * 1000 : null;
}
