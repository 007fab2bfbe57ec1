// Converts a response to the result of a tool: `{METHOD} {URL} → {STATUS}`, an empty line, and the body within a bound (REQ-154). Credentials
// in the body are replaced.

import { bodyBounds } from "#contract/json.ts";
import type { ToolAnswer } from "#core/record/awaited.ts";
import { toBase64 } from "#lib/base64.ts";
import { JsonBoundError, parseBoundedJson } from "#lib/untrusted/bounded-json.ts";

import { outsideText, visibleText } from "../outside-text.ts";

/** A sent request, and what its result may contain. */
export interface SentRequest {
  method: string;
  /** The address without credentials. */
  shownUrl: string;
  /** Texts that are replaced in the result. */
  secrets: readonly string[];
  /** The maximum number of bytes of the body's text. */
  maxBytes: number;
  /** The arguments of the operation that make a response smaller. */
  limits: readonly string[];
  /** Returns what a model reads instead of the body. Absent: the body. */
  shape?: ((status: number, body: unknown) => unknown) | undefined;
}

/** The maximum number of bytes that are read of a file, and of a text before it is shaped. */
const mostBytes = 4 * 1024 * 1024;

/** Reads the body and returns the result. A status other than 2xx is a result too, and a model reads its body. */
export async function apiResult(response: Response, sent: SentRequest): Promise<ToolAnswer> {
  const { status, headers } = response;
  const type = mediaType(headers.get("content-type"), sent.secrets);
  const head = `${sent.method} ${hidden(sent.shownUrl, sent.secrets)} → ${status}`;
  const next = nextPage(headers.get("link"), sent);
  if (type !== "" && !isText(type)) {
    const { bytes, isCut } = await readBytes(response, mostBytes);
    if (isCut)
      return answer(`${head}\n\n[The body is a file of more than ${mostBytes} bytes, which is not read.]`, status);
    if (bytes.byteLength > 0) {
      const kind = type.startsWith("image/") ? "image" : "file";
      const part = {
        type: kind,
        data: toBase64(withoutSecrets(bytes, sent.secrets)),
        mimeType: type,
        name: "response",
      };
      return { ...answer(`${head}\n\n[The body is a file of the type ${type}.]`, status), content: [part] };
    }
  }
  const longest = Math.max(0, ...sent.secrets.map((secret) => secret.length));
  const { bytes, isCut } = await readBytes(
    response,
    sent.shape === undefined ? sent.maxBytes + 4 * longest : mostBytes,
  );
  const text = decoderOf(headers.get("content-type")).decode(bytes);
  const shaped = sent.shape === undefined || isCut ? text : await shapedText(sent, status, text);
  const shown = hidden(visibleText(shaped), sent.secrets);
  // The end of a text that was cut may be the beginning of a secret.
  const body = cutBytes(isCut ? shown.slice(0, Math.max(0, shown.length - longest)) : shown, sent.maxBytes);
  const notes = [
    ...(isCut || body.isCut
      ? [`[The body is longer: only the first ${sent.maxBytes} bytes are here.${smaller(sent)}]`]
      : []),
    ...(next === null ? [] : [`[The next page: ${next}]`]),
  ];
  return answer([`${head}\n\n${body.text}`, ...notes].join("\n\n"), status);
}

function smaller({ limits }: SentRequest): string {
  return limits.length === 0 ? "" : ` These arguments make it smaller: ${limits.join(", ")}.`;
}

function answer(result: string, status: number): ToolAnswer {
  return { status: "success", result, details: { status } };
}

/** The text of the shaped body. A body with too many values is not parsed, and is not shaped. */
async function shapedText(sent: SentRequest, status: number, text: string): Promise<string> {
  let body: unknown;
  try {
    body = parsed(text);
  } catch (thrown) {
    if (!(thrown instanceof JsonBoundError)) throw thrown;
    return `[The body ${thrown.message}, so it is not read.${smaller(sent)}]`;
  }
  const shaped = await sent.shape?.(status, body);
  return typeof shaped === "string" ? shaped : (JSON.stringify(shaped) ?? "");
}

/** The decoder of the response's character set. Default: UTF-8, also for a name that the platform does not have. */
function decoderOf(contentType: string | null): InstanceType<typeof TextDecoder> {
  const label = /;\s*charset="?([\w-]{1,40})/i.exec(contentType ?? "")?.[1];
  try {
    return new TextDecoder(label ?? "utf-8");
  } catch {
    return new TextDecoder();
  }
}

/** The parsed body; the text if it is not JSON. Throws a `JsonBoundError`. */
function parsed(text: string): unknown {
  try {
    return parseBoundedJson(text, bodyBounds);
  } catch (thrown) {
    if (thrown instanceof JsonBoundError) throw thrown;
    return text;
  }
}

/**
 * The media type of a body; empty if there is none. A value that is no media type, or contains a secret, is replaced by
 * `application/octet-stream`, so that neither the model nor a stored file receives it.
 */
function mediaType(declared: string | null, secrets: readonly string[]): string {
  const type = (declared ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const isKnown = /^[\w.+-]{1,60}\/[\w.+-]{1,100}$/.test(type);
  const isSecret = secrets.some((secret) => type.includes(secret.toLowerCase()));
  return type === "" || (isKnown && !isSecret) ? type : "application/octet-stream";
}

function isText(type: string): boolean {
  return /^text\/|[/+](?:json|xml|yaml|x-yaml|javascript|x-ndjson|ndjson|jsonl|x-www-form-urlencoded|graphql|csv)$/.test(
    type,
  );
}

/** The text without secrets. */
function hidden(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, "****"), text);
}

/** The bytes of a file with secrets overwritten, for an API that returns what it received. */
function withoutSecrets(bytes: Uint8Array, secrets: readonly string[]): Uint8Array {
  const latin = new TextDecoder("latin1").decode(bytes);
  for (const secret of secrets) {
    const wanted = new TextEncoder().encode(secret);
    // Each byte is decoded to one character, and windows-1252 has a different character for each byte, so the positions are those of the
    // bytes.
    const text = new TextDecoder("latin1").decode(wanted);
    for (let at = latin.indexOf(text); at !== -1; at = latin.indexOf(text, at + 1))
      bytes.fill(0x2a, at, at + wanted.length);
  }
  return bytes;
}

/** Reads at most `limit` bytes and cancels the rest. */
async function readBytes(response: Response, limit: number): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  const stream: ReadableStream<Uint8Array> | null = response.body;
  if (stream === null) return { bytes: new Uint8Array(), isCut: false };
  const reader = stream.getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    pieces.push(value);
    length += value.byteLength;
    if (length > limit) {
      // The rest of the body is not used, so a failure to cancel it has no consequence.
      await reader.cancel().catch(() => undefined);
      break;
    }
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return { bytes: bytes.subarray(0, limit), isCut: length > limit };
}

/** The text with at most `limit` bytes of UTF-8, cut between characters. */
function cutBytes(text: string, limit: number): { text: string; isCut: boolean } {
  const bytes = new TextEncoder().encode(text);
  if (bytes.byteLength <= limit) return { text, isCut: false };
  let end = limit;
  // A byte 10xxxxxx continues a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return { text: new TextDecoder().decode(bytes.subarray(0, end)), isCut: true };
}

/** The query of the next page by the header `Link` (RFC 8288), as a model can use it. */
function nextPage(link: string | null, { shownUrl, secrets }: SentRequest): string | null {
  const found = /<([^<>]{1,2000})>[^<]*;\s*rel="?next"?/i.exec(link ?? "")?.[1];
  const url = found === undefined ? null : URL.parse(found, shownUrl);
  if (url === null || url.search === "") return null;
  return outsideText(hidden(url.search.slice(1), secrets), 500);
}
