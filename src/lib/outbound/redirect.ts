// What a redirect asks for next, by the rules of the fetch standard, and stricter where a secret could leave its origin.

/** A request that may be redirected. */
export interface Redirectable {
  url: URL;
  method: string;
  headers: Headers;
  body: BodyInit | null;
}

/** Why a redirect is not followed. */
type RedirectProblem = "downgrade" | "body_gone" | "body_elsewhere";

/** The next request, whose `url` still has to be judged, or why there is none. */
export type RedirectAnswer = { ok: true; request: Redirectable } | { ok: false; problem: RedirectProblem };

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** What may go along to another origin. Anything else may be a secret: keys ride in headers of any name. */
const harmless = new Set(["accept", "accept-language", "content-language", "content-type", "range", "user-agent"]);

const aboutBody = ["content-encoding", "content-language", "content-location", "content-type"];

/** Where an answer redirects to, as written; null when it does not. */
export function redirectLocation(response: { status: number; headers: Headers }): string | null {
  return redirectStatuses.has(response.status) ? response.headers.get("location") : null;
}

/** Whether a redirect with this status turns the method into GET and drops the body. */
function becomesGet(status: number, method: string): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return (status === 301 || status === 302) && method === "POST";
}

/** What a redirect with this status to `url` asks for. */
export function redirected(request: Redirectable, status: number, url: URL): RedirectAnswer {
  if (request.url.protocol === "https:" && url.protocol === "http:") return { ok: false, problem: "downgrade" };
  const sameOrigin = url.origin === request.url.origin;
  const headers = new Headers();
  for (const [name, value] of request.headers) if (sameOrigin || harmless.has(name)) headers.set(name, value);
  let { method, body } = request;
  if (becomesGet(status, method)) {
    method = "GET";
    body = null;
    for (const name of aboutBody) headers.delete(name);
  } else if (body !== null && !sameOrigin) {
    // The standard sends it again wherever the redirect leads. A body may hold secrets as headers do, and without it the
    // request would be another one.
    return { ok: false, problem: "body_elsewhere" };
  } else if (body instanceof ReadableStream) {
    return { ok: false, problem: "body_gone" };
  }
  return { ok: true, request: { url, method, headers, body } };
}
