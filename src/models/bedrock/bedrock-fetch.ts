// The transport of Amazon Bedrock: it adds the key or the signature to a request, and turns the binary event stream of its answer into the
// text of server-sent events, so that the log, the limits and the repairs process one form for all providers. Invariants: an exception of the
// stream becomes an error event with its type; a damaged frame is an error of the body, after the frames before it; each received piece
// causes a piece, possibly an empty one, so that a slow frame is not taken for silence.

import { fieldsOf, isObject } from "#lib/json-value.ts";
import { parseBoundedOrNull } from "#lib/untrusted/bounded-json.ts";

import { sentenceOf } from "../error-sentence.ts";
import type { CallTarget, ProviderSettings } from "../provider/provider-profile.ts";
import { RefusedRequest } from "../refused-request.ts";
import { regionOf } from "./aws-region.ts";
import { signedHeaders } from "./aws-signature.ts";
import { EventFrames, type EventFrame } from "./event-frames.ts";

type Fetch = typeof globalThis.fetch;

function dataLine(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** Bounds of the payload of an exception, which has a few short fields. They are stricter than those of the events of a stream. */
const exceptionBounds = { values: 1_000, depth: 16 };

/**
 * The error event of an exception: its fields, such as `originalStatusCode`, its message, and the type of its frame, whatever type the payload
 * has. A payload that is no JSON object within the bounds is the message itself. Without a message the type is the message.
 */
function exceptionLine(type: string, payload: string): string {
  const parsed = parseBoundedOrNull(payload, exceptionBounds);
  const text = isObject(parsed) ? sentenceOf(parsed) : payload.trim().slice(0, 2_000);
  const message = text === null || text === "" ? type : text;
  return dataLine({ error: { ...fieldsOf(parsed), message, type } });
}

/** Turns frames into events. The last event of an answer is followed by the end mark of the other protocols. */
class EventLines {
  #isStopped = false;

  of({ headers, payload }: EventFrame): string {
    switch (headers.get(":message-type")) {
      case "event":
        return this.#event(headers.get(":event-type") ?? "", payload);
      case "exception":
        return exceptionLine(headers.get(":exception-type") ?? "unknownException", payload);
      case "error": {
        const type = headers.get(":error-code") ?? "unknownException";
        return dataLine({ error: { type, message: headers.get(":error-message") ?? type } });
      }
      default:
        return "";
    }
  }

  #event(type: string, payload: string): string {
    this.#isStopped ||= type === "messageStop";
    // The data of an event is one line. A line break in JSON is only ever between its tokens.
    const json = payload.trim() === "" ? "{}" : payload.replaceAll(/[\r\n]+/g, " ");
    const line = `data: {${JSON.stringify(type)}:${json}}\n\n`;
    return type === "metadata" && this.#isStopped ? `${line}data: [DONE]\n\n` : line;
  }
}

/** The first characters of a document, a page or an event in text form. */
const beginningOfText = /[[{<:a-z]/i;

/**
 * Whether a body is a binary stream. The first byte of a frame's length is 0, and no text begins with it; a body that is declared as a stream
 * is one also if this byte was damaged.
 */
function isStream(first: number, type: string | null): boolean {
  if (first === 0) return true;
  return type?.includes("vnd.amazon.eventstream") === true && !beginningOfText.test(String.fromCharCode(first));
}

/** The events of a body as text. A body that is no binary stream, such as a page of a proxy, passes unchanged. */
function eventText(body: ReadableStream<Uint8Array>, type: string | null): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const frames = new EventFrames();
  const lines = new EventLines();
  const encoder = new TextEncoder();
  let isBinary: boolean | null = null;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (frames.damage !== null) {
        reader.cancel().catch(() => undefined);
        return controller.error(frames.damage);
      }
      const { done, value } = await reader.read();
      if (done) {
        frames.end();
        return frames.damage === null ? controller.close() : controller.error(frames.damage);
      }
      if (value.length > 0) isBinary ??= isStream(value[0] ?? 0, type);
      if (isBinary !== true) return controller.enqueue(value);
      const events = frames.take(value).map((frame) => lines.of(frame));
      controller.enqueue(encoder.encode(events.join("")));
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** The headers of a request with its key or its signature; none are added for a server that signs requests itself. */
async function authorized(
  url: URL,
  init: RequestInit | undefined,
  { settings, model, now }: { settings: ProviderSettings; model: string; now: number },
): Promise<Headers> {
  const headers = new Headers(init?.headers);
  const { apiKey, credentials } = settings;
  if (apiKey !== "") headers.set("authorization", `Bearer ${apiKey}`);
  if (credentials === undefined || apiKey !== "") return headers;
  const region = regionOf({ host: url.host, model, credentials });
  if (region === null)
    throw new RefusedRequest(`The region to sign requests to ${url.host} for is not known. Set AWS_REGION.`);
  const sent = Object.fromEntries(
    [...headers].filter(([name]) => name === "content-type" || name.startsWith("x-amz-")),
  );
  const signed = await signedHeaders(
    {
      method: init?.method ?? "GET",
      host: url.host,
      path: url.pathname,
      headers: sent,
      body: typeof init?.body === "string" ? init.body : "",
    },
    {
      accessKeyId: credentials["AWS_ACCESS_KEY_ID"] ?? "",
      secretAccessKey: credentials["AWS_SECRET_ACCESS_KEY"] ?? "",
      sessionToken: credentials["AWS_SESSION_TOKEN"],
    },
    { region, service: "bedrock", now },
  );
  for (const [name, value] of Object.entries(signed)) headers.set(name, value);
  return headers;
}

/** Creates the fetch of requests to Bedrock. `now` returns milliseconds since 1970. */
export function bedrockFetch(fetch: Fetch, { model, to: settings, now }: CallTarget & { now: () => number }): Fetch {
  const send = async (input: Parameters<Fetch>[0], init?: RequestInit): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    const headers = await authorized(url, init, { settings, model: model.model, now: now() });
    const response = await fetch(input, { ...init, headers });
    const body: ReadableStream<Uint8Array> | null = response.body;
    if (!response.ok || body === null) return response;
    return new Response(eventText(body, response.headers.get("content-type")), response);
  };
  return send as Fetch;
}
