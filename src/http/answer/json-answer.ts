// Responses with a JSON body. They must not be cached, and browsers must not guess their type.

/** Headers of every response with JSON. */
export const jsonHeaders = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

/** A response with a JSON body. */
export function jsonAnswer(value: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(value), { status, headers: { ...jsonHeaders, ...headers } });
}

/** A response without a body. */
export function emptyAnswer(headers: Record<string, string> = {}, status = 204): Response {
  return new Response(null, { status, headers });
}
