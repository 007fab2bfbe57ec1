// Observes the HTTP exchange of a model request, because the provider packages of the AI SDK do not report enough of it. Status and headers
// are needed to classify a failure. The arrival of bytes distinguishes a working provider from a dead connection. A complete answer ends at
// once, although its connection may stay open.

import type { Timers } from "#lib/timers.ts";
import { JsonBoundError, JsonMeter } from "#lib/untrusted/bounded-json.ts";

import { AnswerLines } from "./answer-lines.ts";
import { wellFormedJson } from "./well-formed.ts";

/** The observed part of an exchange. */
export interface Exchange {
  /** Status of the last response; null before there is one. */
  status: number | null;
  headers: Headers | null;
  /** The connection failed, before a response began or while its body was read. */
  broken: boolean;
  /** The host and port that sent no response; null after a response. */
  silentHost: string | null;
  /** The host and port that sent the last response; null before a response. */
  respondingHost: string | null;
  /** An event of the response's stream arrived. */
  begun: boolean;
  /** The last refusal has a text, or its body was not read. False for a package of a provider, whose error has the text. */
  mayHaveText: boolean;
  /** Each response so far states that an AI Gateway answered it from its cache. */
  isCached: boolean;
  /** The body contained the mark of a complete answer: `[DONE]`, or a last event that reports success. */
  ended: boolean;
  /** The answer is complete, and its body was read to its end, is closed, or will be closed: nothing of the exchange has to be aborted. */
  over: boolean;
  /** Sentences for the log about events that were ignored because the answer was complete. */
  warnings: string[];
}

/** An exchange before its request. */
export function newExchange(): Exchange {
  return {
    status: null,
    headers: null,
    broken: false,
    silentHost: null,
    respondingHost: null,
    begun: false,
    mayHaveText: false,
    isCached: true,
    ended: false,
    over: false,
    warnings: [],
  };
}

/** The record of an exchange, a callback for received bytes, and timers. */
export interface Watch {
  exchange: Exchange;
  /** Called for the headers and for each piece of the body. */
  received: () => void;
  timers: Timers;
  /** Whether the connection of a complete answer is left open for the next request. */
  reusesConnection: boolean;
}

/**
 * Milliseconds without bytes after which an answer with a finish reason counts as complete: if it has token counts, and if it has none, or if
 * its reason may be one that the server sends in each chunk.
 */
const quietWithCountsMs = 2_000;
const quietWithoutCountsMs = 10_000;

/** Milliseconds in which the body of a complete answer has to end, so that its connection is used again. */
const restMs = 1_000;

/** The reason for an abort whose reason is not read. Without it, each abort would create an exception with a stack trace. */
export const noLongerNeeded = new Error("The request is over.");

const encoder = new TextEncoder();

/** Ends the last event of a body. The provider's package drops an event without an empty line after it, which some servers omit. */
const endOfEvent = { bytes: encoder.encode("\n\n"), text: "\n\n" };

/** A piece of a body. If the bytes of a character arrive in two pieces, the text of the second piece contains the character. */
export interface BodyPiece {
  bytes: Uint8Array;
  text: string;
}

/** The pieces of a body. */
export interface BodyPieces {
  /** The next piece; null at the end. */
  read: () => Promise<BodyPiece | null>;
  cancel: (reason: unknown) => Promise<void>;
}

/**
 * Returns the pieces of the body of a successful response. They end when the answer is complete, although the connection may stay open. The
 * result is not a stream, because each stream between the body and its reader takes processor time for each piece.
 */
export function answerPieces(body: ReadableStream<Uint8Array>, watch: Watch): BodyPieces {
  const { exchange } = watch;
  const reader = body.getReader();
  const lines = new AnswerLines();
  let isOver = false;

  const close = (): void => void reader.cancel().catch(() => undefined);

  const record = (): void => {
    exchange.begun = lines.begun;
    if (lines.ended) exchange.ended = lines.completed;
  };
  /** Ends the last line, which may be the last event of the answer. */
  const endLine = (): BodyPiece | null => {
    if (lines.atBoundary) return null;
    lines.read(endOfEvent.bytes);
    record();
    return endOfEvent;
  };
  const end = (last: BodyPiece | null): BodyPiece | null => {
    isOver = true;
    exchange.over = true;
    return last;
  };

  return {
    async read() {
      if (isOver) return null;
      if (lines.ended) {
        if (watch.reusesConnection) readRest(reader, watch.timers);
        else close();
        return end(endLine());
      }
      try {
        const next = reader.read();
        const quietMs = lines.finishedWithCounts ? quietWithCountsMs : quietWithoutCountsMs;
        const read = await (lines.finished ? unlessQuiet(next, quietMs, watch.timers) : next);
        if (read === null) close();
        if (read === null || read.done) return end(endLine());
        watch.received();
        const text = lines.read(read.value);
        record();
        // The text may end before the bytes do, at the last event.
        return { bytes: lines.ended ? encoder.encode(text) : read.value, text };
      } catch (error) {
        close();
        const last = endLine();
        // A connection that breaks after the finish reason removes nothing from the answer.
        if (lines.finished || lines.ended) return end(last);
        isOver = true;
        exchange.broken = true;
        throw error;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  };
}

/**
 * Reads the rest of the body of a complete answer. With most servers the body ends at once, and the client then uses the connection for the
 * next request. A body that continues, or that does not end in time, is closed with its connection.
 */
function readRest(reader: ReadableStreamDefaultReader<Uint8Array>, timers: Timers): void {
  const close = (): void => void reader.cancel().catch(() => undefined);
  const disarm = timers.after(restMs, close);
  reader
    .read()
    .then(
      ({ done }) => (done ? undefined : close()),
      () => undefined,
    )
    .finally(disarm);
}

/** Waits for the next piece of a body; null if none arrives within the time. */
function unlessQuiet<T>(next: Promise<T>, milliseconds: number, timers: Timers): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const disarm = timers.after(milliseconds, () => resolve(null));
    next.then(resolve, reject).finally(disarm);
  });
}

/** Whether the next piece of a text exceeds a bound. */
function exceeds(meter: JsonMeter, piece: string): boolean {
  try {
    meter.read(piece);
    return false;
  } catch (thrown) {
    if (thrown instanceof JsonBoundError) return true;
    throw thrown;
  }
}

/** The maximum number of bytes of an error response that are read. */
const longestRefusal = 1024 * 1024;

/** Bounds of an error response, which the provider's package parses. */
const refusalBounds = { values: 10_000, depth: 64 };

/**
 * Observes the body of an error response. The provider's package reads the whole body, so the body ends after `longestRefusal` bytes, and
 * before the piece that exceeds `refusalBounds`. A body that was cut is no JSON, and the package reports its status.
 */
export function refusalBody(
  body: ReadableStream<Uint8Array>,
  { exchange, received }: Watch,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const meter = new JsonMeter(refusalBounds);
  let remaining = longestRefusal;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        received();
        if (done) {
          if (remaining === longestRefusal) exchange.mayHaveText = false;
          return controller.close();
        }
        if (exceeds(meter, decoder.decode(value, { stream: true }))) remaining = 0;
        controller.enqueue(value.subarray(0, remaining));
        remaining -= value.byteLength;
        if (remaining > 0) return;
        controller.close();
        reader.cancel().catch(() => undefined);
      } catch (error) {
        exchange.broken = true;
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** The request with a body that has no lone surrogate, also in the params of a request. */
function withWellFormedBody(init: RequestInit | undefined): RequestInit | undefined {
  if (typeof init?.body !== "string") return init;
  const body = wellFormedJson(init.body);
  return body === init.body ? init : { ...init, body };
}

/** The input of the platform's fetch. */
type FetchInput = Parameters<typeof globalThis.fetch>[0];

/**
 * Creates a fetch that records the status and the headers of a response in `watch.exchange`. `answerPieces` and `refusalBody` observe the
 * body. The result calls `fetch` without a `this` object, as Workers require.
 */
export function observeFetch(fetch: typeof globalThis.fetch, watch: Watch): typeof globalThis.fetch {
  const { exchange } = watch;
  const observed = async (input: FetchInput | URL, init?: RequestInit): Promise<Response> => {
    let response: Response;
    try {
      response = await fetch(input as FetchInput, withWellFormedBody(init));
    } catch (error) {
      exchange.broken = true;
      exchange.silentHost = hostOf(input);
      exchange.respondingHost = null;
      throw error;
    }
    exchange.silentHost = null;
    exchange.respondingHost = hostOf(input);
    exchange.status = response.status;
    exchange.headers = response.headers;
    exchange.isCached &&= response.headers.get("cf-aig-cache-status") === "HIT";
    watch.received();
    return response;
  };
  return observed as typeof globalThis.fetch;
}

/** The host and port of a request, without user, path and query, which may contain a key. */
function hostOf(input: FetchInput | URL): string | null {
  const address = input instanceof Request ? input.url : String(input);
  return URL.canParse(address) ? new URL(address).host : null;
}
