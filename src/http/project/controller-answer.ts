// Converts a controller's return value to a response (Standard Agents, endpoints): a Response unchanged, text, a stream, nothing
// (204), and every other value as JSON.

/** Returns the response. Throws if the value cannot be converted to JSON. */
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
