// Anthropic may add kinds of events at any time and asks clients to pass over those they do not know. The package reports
// them as errors; this tells such a one from an error that matters.

const known = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
  "ping",
  "error",
]);

/** Whether a reported error is only an event of a kind nobody knew when the package was written. */
export function isUnknownEvent(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== "AI_TypeValidationError" || !("value" in error)) return false;
  const { value } = error;
  if (typeof value !== "object" || value === null || !("type" in value)) return false;
  return typeof value.type === "string" && !known.has(value.type);
}
