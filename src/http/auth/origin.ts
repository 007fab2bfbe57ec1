// Foreign pages: which may call, what a preflight is answered, and which upgrades are refused. An origin is foreign when it
// is not the one the request came to; only those listed in ALLOWED_ORIGINS are let in, and a list with a mistake lets in none.

/** The origins whose pages may call. */
export type AllowedOrigins = Pick<ReadonlySet<string>, "has">;

/** Reads the list; `https://a.example,https://b.example`. Anything that is no origin, `*` included, empties it. */
export function parseAllowedOrigins(list: string | undefined): ReadonlySet<string> {
  const origins = (list ?? "")
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  return origins.every(isOrigin) ? new Set(origins) : new Set();
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === "https:" || url.protocol === "http:") && url.origin === text;
}

/** Whether a page of another origin, that is not listed, sent this. */
export function isForeign(request: Request, allowed: AllowedOrigins): boolean {
  const origin = request.headers.get("origin");
  if (origin !== null) return origin !== new URL(request.url).origin && !allowed.has(origin);
  return request.headers.get("sec-fetch-site") === "cross-site";
}

/** Headers that let a listed origin read the answer; none for everyone else. */
export function corsHeaders(request: Request, allowed: AllowedOrigins): Record<string, string> {
  const origin = request.headers.get("origin");
  if (origin === null || !allowed.has(origin)) return {};
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers":
      "retry-after, allow, x-session-id, etag, accept-ranges, content-range, content-disposition",
    vary: "origin",
  };
}

/** Headers of the answer to a preflight, beside `corsHeaders`. */
export function preflightHeaders(methods: readonly string[]): Record<string, string> {
  return {
    "access-control-allow-methods": methods.join(", "),
    "access-control-allow-headers":
      "authorization, content-type, idempotency-key, last-event-id, range, if-range, if-match, if-none-match",
    "access-control-max-age": "600",
  };
}
