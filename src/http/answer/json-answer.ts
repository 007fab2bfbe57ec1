// Answers with JSON. Nothing the API says may be cached or sniffed.

/** Headers of every answer with JSON. */
export const jsonHeaders = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

/** An answer whose body is JSON. */
export function jsonAnswer(value: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(value), { status, headers: { ...jsonHeaders, ...headers } });
}

/** An answer without a body. */
export function emptyAnswer(headers: Record<string, string> = {}, status = 204): Response {
  return new Response(null, { status, headers });
}
