// The fetch function for one session with an MCP server. It uses the guarded fetch, counts each response while the SDK reads it, and
// normalises the messages in it. If an event stream ends without the response of its request, or exceeds a bound, an error response is added,
// because the SDK would wait for the response until its time limit.

import { type FetchLike, isJsonContentType } from "@modelcontextprotocol/client";

import type { OutboundFetch } from "#core/ports/outbound-fetch.ts";
import { anySignal } from "#lib/any-signal.ts";
import { fieldsOf, parseJson } from "#lib/json-value.ts";
import type { Fields } from "#lib/json-value.ts";
import { EventMeter } from "#lib/untrusted/bounded-events.ts";
import { parseCountedJson } from "#lib/untrusted/bounded-json.ts";
import { countedResponse, isEventStream, type TextMeter } from "#lib/untrusted/bounded-response.ts";
import { parseOwnJson } from "#lib/untrusted/own-json.ts";
import { isVisible } from "#lib/visible-text.ts";
import { WorkSlices } from "#lib/work-slices.ts";

import { parsedOrUndefined, PlainEvents } from "./plain-events.ts";
import { hasMessage, plainMessage, plainMessages } from "./plain-message.ts";
import type { ResponseOwner } from "./plain-message.ts";
import { textIn } from "./read-items.ts";
import { ListPages, responseBytes, streamBounds } from "./response-bounds.ts";
import { formedResponse } from "./response-form.ts";
import { closedCode, McpServerError, tooMuchCode, tooMuchText } from "./server-error.ts";

/**
 * The maximum number of event streams that a session opens by GET. Without it, a server that ends each stream would be requested without
 * end.
 */
const mostStreams = 50;

/** The options of the requests. */
export interface ServerRequests {
  fetch: OutboundFetch;
  name: string;
  allowedHosts: readonly string[];
  /** The maximum time in milliseconds until the headers of a response arrive. */
  timeoutMs: number;
  /** Whether the stream that a GET opens has the responses of all requests, as in the transport of 2024-11-05. */
  isOneStream: boolean;
}

/** The maximum length of an event's id by which a stream is noted. */
const longestEventId = 1000;

/** Creates the fetch function for one session. */
export function serverFetch({ fetch, name, allowedHosts, timeoutMs, isOneStream }: ServerRequests): FetchLike {
  /** The requests that were sent, by id. */
  const sent = new Map<number, AbortController>();
  /** The requests whose streams ended and are continued by a GET. */
  const continued = new Set<number>();
  const pages = new ListPages();
  let streams = 0;
  /** The number of received pieces with events of the streams that belong to no request. Each event may be of any open request. */
  let shared = 0;
  /** The requests whose streams ended, by the id of the last event, with which the SDK continues the stream. */
  const ended = new Map<string, number>();
  /** Why the stream of the session is not opened. The SDK opens a stream that ended again. */
  let problem: string | null = null;
  return async (url, init = {}) => {
    const { method = "GET", headers, body, signal, redirect } = init;
    const { id, cancelled, isList } = method === "POST" ? sentMessage(body, pages) : {};
    // The response of a cancelled request is not used, and its open connection would count against the platform's limit of open requests.
    if (cancelled !== undefined) sent.get(cancelled)?.abort();
    const own = new AbortController();
    if (id !== undefined) sent.set(id, own);
    streams += method === "GET" ? 1 : 0;
    const lastEvent = method === "GET" ? new Headers(headers).get("last-event-id") : null;
    const resumed = lastEvent === null ? undefined : ended.get(lastEvent);
    const owner = id ?? resumed;
    const sharedBefore = shared;
    if (method === "GET" && owner === undefined && problem !== null) {
      throw new McpServerError(`The MCP server "${name}" ${problem}`, { kind: "Protocol" });
    }
    if (streams > mostStreams) throw new McpServerError(`The MCP server "${name}" ended its event stream too often.`);
    const answer = await fetch(url, {
      method,
      ...(headers === undefined ? {} : { headers }),
      ...(body == null ? {} : { body }),
      signal: signal == null ? own.signal : anySignal([own.signal, signal]),
      ...(redirect === undefined ? {} : { redirect }),
      allowedHosts,
      limits: { bytes: responseBytes, headersMs: timeoutMs, idleMs: Infinity, totalMs: Infinity },
    });
    // The SDK would wait for the response of a request whose stream the server does not continue.
    if (resumed !== undefined && answer.status >= 400 && answer.status < 500) return closedStream(answer, resumed);
    const isSent = (each: number) => sent.has(each);
    // The SDK would read the whole body of a refusal, and errors contain no text of a server's body.
    if (!answer.ok) return refusal(answer, id);
    // The SDK would read a body that it does not use to its end, and the body may have none. With 2024-11-05, responses arrive in the stream
    // of the session.
    if (method !== "GET" && (id === undefined || isOneStream)) return withoutBody(answer);
    const { response, isEvents } =
      id === undefined ? { response: answer, isEvents: isEventStream(answer.headers) } : await formedResponse(answer);
    const stream: ReadableStream<Uint8Array> | null = response.body;
    const isFirst = () => resumed === undefined && shared === sharedBefore;
    const request = owner === undefined ? undefined : { id: owner, isSent, isFirst };
    // The SDK reads the response of a GET as a stream of events, whatever its type is.
    if (stream === null || !(method === "GET" || isEvents)) {
      const isJson = isJsonContentType(response.headers.get("content-type"));
      if (!isJson && answer.status !== 202) return withoutBody(response);
      const counted = countedResponse(response, pages.messageMeter(isList), {
        refusal: (thrown) =>
          new McpServerError(`The MCP server "${name}" ${tooMuchText(messageOf(thrown))}`, { kind: "Protocol" }),
      });
      // Each response in the body belongs to the request, whatever its id is.
      const only = request === undefined ? undefined : { ...request, isSent: (each: number) => each === owner };
      const read = id !== undefined && answer.status === 202 ? await acceptedResponse(counted) : counted;
      return plainJson(read, only);
    }
    const plain = new PlainEvents(request);
    const events = endedStream(stream, {
      open: owner === undefined ? () => [...(isOneStream ? sent.keys() : continued)] : () => [owner],
      onEvents: () => {
        if (owner === undefined) shared += 1;
      },
      onContinued: () => {
        if (owner === undefined) return;
        continued.add(owner);
        if (plain.lastEvent.length <= longestEventId) ended.set(plain.lastEvent, owner);
      },
      onProblem: (text) => {
        if (owner === undefined) problem = text;
      },
      cancelled: own.signal,
      isAccepted: id !== undefined && answer.status === 202,
      meter: pages.counting(new EventMeter(streamBounds), owner === undefined ? undefined : isList),
      plain,
    });
    return new Response(events, { status: response.status, headers: response.headers });
  };
}

/** The response without its body, which is not read. */
async function withoutBody({ body, status, statusText, headers }: Response): Promise<Response> {
  // The connection may be broken already.
  await body?.cancel().catch(() => undefined);
  return new Response(null, { status, statusText, headers });
}

/** A stream that ends without the response of a request. */
async function closedStream({ body }: Response, request: number): Promise<Response> {
  await body?.cancel().catch(() => undefined);
  const error = { code: closedCode, message: "The server did not continue the stream." };
  return new Response(errorEvent(request, error), { headers: eventType });
}

const eventType = { "content-type": "text/event-stream" };

/** An event with the error response to a request. The SDK does not continue a stream after a response. */
function errorEvent(id: number, error: { code: number; message: string }): string {
  return `\n\nevent: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, error })}\n\n`;
}

/**
 * The response to a request with the status 202: with the status 200 if its body is a message, which the SDK would not read. After any other
 * body, the result arrives in the stream of the session.
 */
async function acceptedResponse(response: Response): Promise<Response> {
  const text = await response.text();
  if (!hasMessage(parsedOrUndefined(text))) return new Response(null, { status: response.status });
  return new Response(text, { headers: { "content-type": "application/json" } });
}

/** The response whose JSON is a normalised message, or a list of such messages. */
function plainJson(response: Response, request: ResponseOwner | undefined): Response {
  const json = async (): Promise<unknown> => {
    const value = parseCountedJson(await response.text());
    return Array.isArray(value) ? plainMessages(value, request) : plainMessage(value, request);
  };
  return Object.assign(response, { json });
}

/** The maximum number of bytes of a refusal that are read. */
const refusalBytes = 8192;

/** The statuses whose meaning is not that of an error in the body. */
const plainStatuses = new Set([401, 403, 404, 410, 429]);

/**
 * The refusal without its body. Of the status 400 the beginning of the body stays, from which `sentError` reads whether the server does not
 * know the session. If the body is the error response to the request `id`, it is returned as one, because a model needs its text.
 */
async function refusal({ body, status, statusText, headers }: Response, id: number | undefined): Promise<Response> {
  const stream = body as ReadableStream<Uint8Array> | null;
  const isRead = status === 400 || (id !== undefined && status > 400 && !plainStatuses.has(status));
  const text = isRead && stream !== null ? await beginningOf(stream) : null;
  const message = text === null ? null : errorResponse(text, id);
  if (message !== null) return Response.json(plainMessage(message));
  // The connection may be broken already.
  if (text === null) await stream?.cancel().catch(() => undefined);
  // With the header of a status 403 the SDK would throw an error without the status.
  const isWithHeaders = status !== 400 && status !== 403;
  return new Response(status === 400 ? text : null, { status, statusText, headers: isWithHeaders ? headers : {} });
}

/** The parsed text if it is an error response to the request `id`; null for every other text. */
function errorResponse(text: string, id: number | undefined): Fields | null {
  const message = fieldsOf(parseJson(text));
  const isOfRequest = id !== undefined && message["id"] !== null && Number(message["id"]) === id;
  return isOfRequest && isVisible(textIn(fieldsOf(message["error"]), "message") ?? "") ? message : null;
}

async function beginningOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  try {
    while (bytes < refusalBytes) {
      const { value, done } = await reader.read();
      if (done) break;
      text += decoder.decode(value.subarray(0, refusalBytes - bytes), { stream: true });
      bytes += value.length;
    }
  } catch {
    // A broken body proves nothing about the session.
    text = "";
  }
  await reader.cancel().catch(() => undefined);
  return text;
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The id of the request in a body, and the id of the request that a body cancels. `pages` notes the request. */
function sentMessage(
  body: RequestInit["body"],
  pages: ListPages,
): { id?: number; cancelled?: number; isList?: boolean } {
  if (typeof body !== "string") return {};
  const message = parseOwnJson(body) as {
    id?: unknown;
    method?: unknown;
    params?: { requestId?: unknown; cursor?: unknown };
  };
  const { id, method, params } = message;
  if (typeof method !== "string") return {};
  const isList = pages.sent(message);
  const cancelled = method === "notifications/cancelled" ? params?.requestId : undefined;
  return {
    isList,
    ...(typeof id === "number" ? { id } : {}),
    ...(typeof cancelled === "number" ? { cancelled } : {}),
  };
}

interface StreamOptions {
  /** The ids of the requests without a response. */
  open: () => number[];
  /** Called before events are passed on. */
  onEvents: () => void;
  onContinued: () => void;
  /** Called with the text of an error if the stream exceeds a bound. */
  onProblem: (text: string) => void;
  cancelled: AbortSignal;
  /** Whether the status states that the response may arrive in the stream of the session. */
  isAccepted: boolean;
  meter: TextMeter;
  plain: PlainEvents;
}

/** The maximum number of bytes that the SDK reads at once. Its parser searches the rest of a piece for a line end at each line. */
const pieceBytes = 16 * 1024;

/**
 * Returns the stream with an error response for each open request at its end. The SDK ignores the error response of a request that already
 * has a response. A stream whose events have ids is not changed: the SDK continues such a stream by another request. The stream of a
 * cancelled request, and one that exceeds a bound, ends with an error response, because the SDK does not continue a stream after a response.
 */
function endedStream(
  body: ReadableStream<Uint8Array>,
  { open, onEvents, onContinued, onProblem, cancelled, isAccepted, meter, plain }: StreamOptions,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const bounded = boundedRetry();
  const end = (
    controller: ReadableStreamDefaultController<Uint8Array>,
    error = { code: closedCode, message: "The stream ended without a response." },
  ) => {
    const events = open().map((id) => errorEvent(id, error));
    controller.enqueue(encoder.encode(events.join("")));
    controller.close();
  };
  /** Counts a piece. Returns false, after it has ended the stream, if the stream exceeds a bound. */
  const isWithin = (text: string, controller: ReadableStreamDefaultController<Uint8Array>): boolean => {
    try {
      meter.read(text);
      return true;
    } catch (thrown) {
      const problem = tooMuchText(messageOf(thrown));
      onProblem(problem);
      // The rest is not read, so a failure to cancel it has no consequence.
      reader.cancel().catch(() => undefined);
      end(controller, { code: tooMuchCode, message: problem });
      return false;
    }
  };
  /** The pieces that were received and not passed on. Each is read in a task of its own. */
  let waiting: Uint8Array[] = [];
  let isCancelled = false;
  const piecesOf = (text: string): Uint8Array[] => {
    const bytes = bounded(encoder.encode(text));
    const count = Math.ceil(bytes.length / pieceBytes);
    return Array.from({ length: count }, (_, at) =>
      bytes.subarray(at * pieceBytes, (at + 1) * pieceBytes),
    ).toReversed();
  };
  const sendNext = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const next = waiting.pop();
    if (next !== undefined) controller.enqueue(next);
  };
  /** Ends the stream after its last event, which some servers do not complete with an empty line. */
  const endWithLast = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const last = plain.end();
    if (last !== "") onEvents();
    for (const piece of piecesOf(last).toReversed()) controller.enqueue(piece);
    if (isAccepted && !cancelled.aborted) controller.close();
    else end(controller);
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        if (waiting.length > 0) {
          await new WorkSlices(1).next();
          if (!isCancelled) sendNext(controller);
          return;
        }
        // The stream is not pulled again before it has received something, so this reads until an event has ended.
        for (let events = ""; events === "";) {
          const { value, done } = await reader.read();
          if (done) {
            if (plain.lastEvent === "" || cancelled.aborted) return endWithLast(controller);
            onContinued();
            controller.close();
            return;
          }
          const decoded = decoder.decode(value, { stream: true });
          if (!isWithin(decoded, controller)) return;
          events = plain.read(decoded);
          if (events !== "") onEvents();
          waiting = piecesOf(events);
          sendNext(controller);
        }
      } catch (thrown) {
        if (plain.lastEvent === "" || cancelled.aborted) return endWithLast(controller);
        onContinued();
        controller.error(thrown);
      }
    },
    cancel: (reason) => {
      isCancelled = true;
      return reader.cancel(reason);
    },
  });
}

/** The maximum number of digits of the time, in milliseconds, after which a server requests that a stream is continued. */
const retryDigits = 4;

const retry = new TextEncoder().encode("retry:");
const [newLine, carriageReturn, space] = [10, 13, 32];

/**
 * Makes `retry` fields with too many digits invalid, so that the SDK ignores them. The SDK waits for the time of this field after a stream
 * was closed, and the timer keeps the object awake.
 */
function boundedRetry(): (bytes: Uint8Array) => Uint8Array {
  /** The number of bytes of `retry:` with which the current line begins; -1 if the line is another field. */
  let matched = 0;
  let digits = 0;
  return (bytes) => {
    const copy = bytes.slice();
    for (const [index, byte] of bytes.entries()) {
      if (byte === newLine || byte === carriageReturn) {
        matched = 0;
        digits = 0;
      } else if (matched === retry.length) {
        digits += byte === space ? 0 : 1;
        if (digits > retryDigits) copy[index] = "x".charCodeAt(0);
      } else if (matched === 0 && byte > 127) {
        // A byte order mark at the beginning of the stream, which the SDK removes.
      } else if (matched >= 0) {
        matched = byte === retry[matched] ? matched + 1 : -1;
      }
    }
    return copy;
  };
}
