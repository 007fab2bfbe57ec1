// The fetch function for one session with an MCP server. It uses the guarded fetch. If an event stream ends without the response of its
// request, an error response is added, because the SDK would wait for the response until its time limit.

import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ErrorCode } from "@modelcontextprotocol/sdk/types.js";

import type { OutboundFetch } from "#core/ports/outbound-fetch.ts";
import { anySignal } from "#lib/any-signal.ts";

import { McpServerError } from "./server-error.ts";

/** The maximum number of bytes of a response, after decompression. */
const responseBytes = 8 * 1024 * 1024;

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

/** Creates the fetch function for one session. */
export function serverFetch({ fetch, name, allowedHosts, timeoutMs, isOneStream }: ServerRequests): FetchLike {
  /** The requests that were sent, by id. */
  const sent = new Map<number, AbortController>();
  /** The requests whose streams ended and are continued by a GET. */
  const continued = new Set<number>();
  let streams = 0;
  return async (url, init = {}) => {
    const { method = "GET", headers, body, signal, redirect } = init;
    const { id, cancelled } = method === "POST" ? messageFacts(body) : {};
    // The response of a cancelled request is not used, and its open connection would count against the platform's limit of open requests.
    if (cancelled !== undefined) sent.get(cancelled)?.abort();
    const own = new AbortController();
    if (id !== undefined) sent.set(id, own);
    streams += method === "GET" ? 1 : 0;
    if (streams > mostStreams) throw new McpServerError(`The MCP server "${name}" ended its event stream too often.`);
    const response = await fetch(url, {
      method,
      ...(headers === undefined ? {} : { headers }),
      ...(body == null ? {} : { body }),
      signal: signal == null ? own.signal : anySignal([own.signal, signal]),
      ...(redirect === undefined ? {} : { redirect }),
      allowedHosts,
      limits: { bytes: responseBytes, headersMs: timeoutMs, idleMs: Infinity, totalMs: Infinity },
    });
    const stream: ReadableStream<Uint8Array> | null = response.body;
    if (stream === null || !isEventStream(response)) return response;
    const open = id === undefined ? () => [...(isOneStream ? sent.keys() : continued)] : () => [id];
    const onContinued = () => void (id === undefined || continued.add(id));
    const events = endedStream(stream, { open, onContinued, cancelled: own.signal });
    return new Response(events, { status: response.status, headers: response.headers });
  };
}

function isEventStream({ ok, headers }: Response): boolean {
  return ok && /^\s*text\/event-stream\b/i.test(headers.get("content-type") ?? "");
}

/** The id of the request in a body, and the id of the request that a body cancels. */
function messageFacts(body: RequestInit["body"]): { id?: number; cancelled?: number } {
  if (typeof body !== "string") return {};
  const { id, method, params } = JSON.parse(body) as {
    id?: unknown;
    method?: unknown;
    params?: { requestId?: unknown };
  };
  if (typeof method !== "string") return {};
  const cancelled = method === "notifications/cancelled" ? params?.requestId : undefined;
  return {
    ...(typeof id === "number" ? { id } : {}),
    ...(typeof cancelled === "number" ? { cancelled } : {}),
  };
}

/**
 * Returns the stream with an error response for each open request at its end. The SDK ignores the error response of a request that already
 * has a response. A stream whose events have ids is not changed: the SDK continues such a stream by another request. The stream of a
 * cancelled request ends with a result, because the SDK does not continue a stream after a result.
 */
function endedStream(
  body: ReadableStream<Uint8Array>,
  { open, onContinued, cancelled }: { open: () => number[]; onContinued: () => void; cancelled: AbortSignal },
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const bounded = boundedRetry();
  let lineStart = "\n";
  let resumable = false;
  const end = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const error = { code: ErrorCode.ConnectionClosed, message: "The stream ended without a response." };
    const outcome = cancelled.aborted ? { result: {} } : { error };
    const events = open().map((id) => {
      return `\n\nevent: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, ...outcome })}\n\n`;
    });
    controller.enqueue(new TextEncoder().encode(events.join("")));
    controller.close();
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value, done } = await reader.read();
        if (done) {
          if (!resumable || cancelled.aborted) return end(controller);
          onContinued();
          controller.close();
          return;
        }
        const text = lineStart + decoder.decode(value, { stream: true });
        resumable ||= /[\r\n]id:/.test(text);
        lineStart = text.slice(-3);
        controller.enqueue(bounded(value));
      } catch (thrown) {
        if (!resumable || cancelled.aborted) return end(controller);
        onContinued();
        controller.error(thrown);
      }
    },
    cancel: (reason) => reader.cancel(reason),
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
