// What a controller returned, as an answer (Standard Agents, endpoints): a Response as it is, text, a stream, nothing, and
// everything else as JSON.

/** The answer. Throws where the value is no JSON. */
export function controllerAnswer(value: unknown): Response {
  if (value instanceof Response) return value;
  if (value === null || value === undefined) return new Response(null, { status: 204 });
  if (typeof value === "string") return typed(value, "text/plain; charset=utf-8");
  if (value instanceof ReadableStream) return typed(value, "application/octet-stream");
  return typed(JSON.stringify(value), "application/json; charset=utf-8");
}

function typed(body: BodyInit, type: string): Response {
  return new Response(body, { headers: { "content-type": type } });
}
