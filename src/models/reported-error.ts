// Sorts what a package reports as an error within a stream into three kinds: pieces of a newer protocol, which are ignored; a
// stream that ended early, which is an interrupted connection; and errors. An error whose message is a dump of the chunk gets a
// readable message.

/** A piece that the package's version of the protocol does not have; `block` is the block's id if a whole block is unknown. */
export interface UnknownPiece {
  block: string | null;
}

// Anthropic may add kinds of events, blocks and deltas at any time and asks clients to ignore those they do not know.
const knownEvents = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
  "ping",
  "error",
]);
const knownBlocks = new Set(["text", "thinking", "redacted_thinking", "tool_use"]);
const knownDeltas = new Set(["text_delta", "thinking_delta", "signature_delta", "input_json_delta"]);

type Fields = Record<string, unknown>;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The chunk that failed the package's schema; null for any other error. */
function unreadChunk(error: unknown): Fields | null {
  if (!(error instanceof Error) || error.name !== "AI_TypeValidationError" || !("value" in error)) return null;
  return isFields(error.value) ? error.value : null;
}

/** The unknown piece, if the error only means that Anthropic extended its protocol; null for a real error. */
export function unknownPiece(error: unknown): UnknownPiece | null {
  const chunk = unreadChunk(error);
  if (chunk === null || typeof chunk["type"] !== "string") return null;
  if (!knownEvents.has(chunk["type"])) return { block: null };
  const { index, content_block: block, delta } = chunk;
  const kindOf = (value: unknown): string =>
    isFields(value) && typeof value["type"] === "string" ? value["type"] : "";
  if (chunk["type"] === "content_block_start" && kindOf(block) !== "" && !knownBlocks.has(kindOf(block))) {
    return { block: String(index) };
  }
  const isNewDelta = chunk["type"] === "content_block_delta" && kindOf(delta) !== "" && !knownDeltas.has(kindOf(delta));
  return isNewDelta ? { block: null } : null;
}

/** Whether a package reports only that its stream ended too early. */
export function isCut(error: unknown): boolean {
  return (
    error instanceof Error &&
    error.name === "AI_InvalidResponseDataError" &&
    /without a finish reason/.test(error.message)
  );
}

/** The error with a readable message in place of a dump. It keeps the chunk, which `classify-failure.ts` reads. */
export function inPlainWords(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === "AI_TypeValidationError") {
    return renamed(error, "The provider sent a piece of its answer in a shape that its protocol does not have.");
  }
  if (error.name === "AI_JSONParseError") {
    return renamed(error, "The provider sent a piece of its answer that is no JSON.");
  }
  return error;
}

function renamed(error: Error, message: string): Error {
  const plain = new Error(message, { cause: error.cause });
  plain.name = error.name;
  return "value" in error ? Object.assign(plain, { value: error.value }) : plain;
}
