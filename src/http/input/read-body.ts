// Reads a JSON body. Checks `Content-Length` and the media type before it reads, limits the bytes as they arrive, refuses invalid UTF-8,
// and limits the number of values and their nesting.

import { refuse } from "#contract/error.ts";

import { checkValue, parseUnchecked } from "./parse-json.ts";

/** How a route reads its body. */
export interface BodyRule {
  /** Maximal bytes. A larger `Content-Length` is refused at once; a smaller one is not trusted. */
  limit: number;
  /** Whether an absent or empty body is read as `{}`. */
  optional: boolean;
  /** Whether JSON may also have the type `text/plain`, which a browser's fetch uses for a string body by default. */
  plain?: boolean;
  /** Whether the handler checks the values of this body. */
  isUnchecked?: (body: unknown) => boolean;
}

/** Returns the parsed body. Throws `unsupported_media_type`, `too_large` or `invalid_request`. */
export async function readJsonBody(request: Request, rule: BodyRule): Promise<unknown> {
  const claimed = Number(request.headers.get("content-length") ?? "0");
  if (claimed > rule.limit) throw tooLarge(rule.limit);
  const type = request.headers.get("content-type");
  if (type !== null && !isJsonType(type) && !(rule.plain === true && isPlainType(type))) throw wrongType();
  const bytes =
    request.body === null ? new Uint8Array() : await readBytes(request.body as ReadableStream<Uint8Array>, rule.limit);
  if (bytes.length === 0 && rule.optional) return {};
  if (type === null) throw wrongType();
  if (bytes.length === 0) throw refuse("invalid_request", "The body is empty; JSON is expected.");
  const value = parseUnchecked(decode(bytes), "The body");
  if (rule.isUnchecked?.(value) !== true) checkValue(value, "");
  return value;
}

function isJsonType(type: string): boolean {
  return /^application\/json\s*(;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i.test(type.trim());
}

function isPlainType(type: string): boolean {
  return /^text\/plain\s*;\s*charset\s*=\s*"?utf-?8"?$/i.test(type.trim());
}

async function readBytes(body: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body.getReader();
  for (let step = await pieceOf(reader); !step.done; step = await pieceOf(reader)) {
    length += step.value.length;
    if (length > limit) {
      await reader.cancel();
      throw tooLarge(limit);
    }
    chunks.push(step.value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** Reads the next piece. A body that breaks off is the client's error, not one of the service. */
async function pieceOf(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read();
  } catch {
    throw refuse("invalid_request", "The body broke off.");
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw refuse("invalid_request", "The body is not valid UTF-8.");
  }
}

function tooLarge(limit: number): Error {
  return refuse("too_large", `The body is over ${String(limit)} bytes.`, { limit });
}

function wrongType(): Error {
  return refuse("unsupported_media_type", 'Send the body as "content-type: application/json".');
}
