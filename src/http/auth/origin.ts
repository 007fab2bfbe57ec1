// Rules for web pages of other origins: which of them may call, the response to a preflight, and which upgrades are refused. Only
// origins in ALLOWED_ORIGINS may call. If the list contains an error, no other origin may.

/** The origins whose pages may call. */
export type AllowedOrigins = Pick<ReadonlySet<string>, "has">;

/** Parses the list `https://a.example,https://b.example`. One entry that is not an origin, such as `*`, makes it empty. */
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

/** Whether the request is from a page of another origin that is not in the list. */
export function isForeign(request: Request, allowed: AllowedOrigins): boolean {
  const origin = request.headers.get("origin");
  if (origin !== null) return origin !== new URL(request.url).origin && !allowed.has(origin);
  return request.headers.get("sec-fetch-site") === "cross-site";
}

/** Headers that let a page of an allowed origin read the response; none for other origins. */
export function corsHeaders(request: Request, allowed: AllowedOrigins): Record<string, string> {
  const origin = request.headers.get("origin");
  if (origin === null || !allowed.has(origin)) return {};
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers":
      "retry-after, allow, x-session-id, mcp-session-id, etag, accept-ranges, content-range, content-disposition",
    vary: "origin",
  };
}

/** Headers of the response to a preflight, in addition to `corsHeaders`. */
export function preflightHeaders(methods: readonly string[]): Record<string, string> {
  return {
    "access-control-allow-methods": methods.join(", "),
    "access-control-allow-headers":
      "authorization, content-type, idempotency-key, last-event-id, mcp-session-id, mcp-protocol-version, range, if-range, if-match, if-none-match",
    "access-control-max-age": "600",
  };
}
