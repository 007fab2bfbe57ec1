// Computes the request after a redirect by the rules of the fetch standard, but stricter if a secret could leave its origin.

/** A request that may be redirected. */
export interface Redirectable {
  url: URL;
  method: string;
  headers: Headers;
  body: Exclude<RequestInit["body"], undefined>;
}

/** Why a redirect is not followed. */
type RedirectProblem = "downgrade" | "body_gone" | "body_elsewhere";

/** The next request, whose `url` is not checked yet, or why there is none. */
export type RedirectAnswer = { ok: true; request: Redirectable } | { ok: false; problem: RedirectProblem };

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** The headers that may be sent to another origin. Any other header may hold a secret. */
const safeHeaders = new Set(["accept", "accept-language", "content-language", "content-type", "range", "user-agent"]);

const aboutBody = ["content-encoding", "content-language", "content-location", "content-type"];

/** The target of a redirect response as it is written; null if the response is not a redirect. */
export function redirectLocation(response: { status: number; headers: Headers }): string | null {
  return redirectStatuses.has(response.status) ? response.headers.get("location") : null;
}

/** Whether a redirect with this status turns the method into GET and drops the body. */
function becomesGet(status: number, method: string): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return (status === 301 || status === 302) && method === "POST";
}

/** The request after a redirect with this status to `url`. */
export function redirected(request: Redirectable, status: number, url: URL): RedirectAnswer {
  if (request.url.protocol === "https:" && url.protocol === "http:") return { ok: false, problem: "downgrade" };
  const sameOrigin = url.origin === request.url.origin;
  const headers = new Headers();
  for (const [name, value] of request.headers) if (sameOrigin || safeHeaders.has(name)) headers.set(name, value);
  let { method, body } = request;
  if (becomesGet(status, method)) {
    method = "GET";
    body = null;
    for (const name of aboutBody) headers.delete(name);
  } else if (body !== null && !sameOrigin) {
    // The fetch standard sends the body again to any origin. It is refused here, since a body may hold secrets as headers do, and
    // without its body the request would mean something else.
    return { ok: false, problem: "body_elsewhere" };
  } else if (body instanceof ReadableStream) {
    return { ok: false, problem: "body_gone" };
  }
  return { ok: true, request: { url, method, headers, body } };
}
