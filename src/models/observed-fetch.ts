// Watches the one HTTP exchange of a model call, because the provider packages keep little of it: status and headers are
// needed to classify a failure, whether bytes flow tells a provider at work from a dead connection, and an answer that is
// whole must not wait for its connection to close.

import { AnswerLines } from "./answer-lines.ts";
import { wellFormedBody } from "./well-formed-body.ts";

/** What was seen of the exchange so far. */
export interface Exchange {
  /** Status of the last response; null before there is one. */
  status: number | null;
  headers: Headers | null;
  /** The request, or the reading of its answer, failed below HTTP. */
  broken: boolean;
  /** An event of a stream came. */
  begun: boolean;
  /** The body stated that the answer is complete, by `[DONE]` or its last event. */
  ended: boolean;
}

/** An exchange of which nothing was seen yet. */
export function newExchange(): Exchange {
  return { status: null, headers: null, broken: false, begun: false, ended: false };
}

/** Who watches an exchange, and how time passes for them. */
export interface Watch {
  exchange: Exchange;
  /** Called for the headers and for each piece of the body. */
  received: () => void;
  /** Waits; rejects when the signal aborts. */
  delay: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

// figures: silence after which an answer with a finish reason is taken as whole, with its token counts and without them.
const quietWithCountsMs = 2_000;
const quietWithoutCountsMs = 10_000;

/** Ends an event that its server did not end: without the blank line its reader would drop it. */
const endOfEvent = new TextEncoder().encode("\n\n");

/** The body of an answer. It ends with the answer, although its connection may stay open. */
function watchAnswer(body: ReadableStream<Uint8Array>, watch: Watch): ReadableStream<Uint8Array> {
  const { exchange } = watch;
  const reader = body.getReader();
  const lines = new AnswerLines();
  const waiting = new AbortController();

  const end = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    exchange.ended = lines.completed;
    controller.enqueue(endOfEvent);
    controller.close();
    reader.cancel().catch(() => undefined);
  };

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = reader.read();
        const quietMs = lines.counted ? quietWithCountsMs : quietWithoutCountsMs;
        const read = lines.finished ? await unlessQuiet(next, quietMs, { watch, until: waiting.signal }) : await next;
        if (read === null || read.done) return end(controller);
        watch.received();
        lines.read(read.value);
        exchange.begun = lines.begun;
        controller.enqueue(read.value);
        if (lines.ended) end(controller);
      } catch (error) {
        // A connection that breaks after the answer took nothing from it.
        if (lines.finished) return end(controller);
        exchange.broken = true;
        controller.error(error);
      }
    },
    cancel(reason) {
      waiting.abort();
      return reader.cancel(reason);
    },
  });
}

/** The next piece of a body; null when none came for so long. */
async function unlessQuiet<T>(
  next: Promise<T>,
  milliseconds: number,
  { watch, until }: { watch: Watch; until: AbortSignal },
): Promise<T | null> {
  const settled = new AbortController();
  const quiet = watch.delay(milliseconds, AbortSignal.any([until, settled.signal])).then(
    () => null,
    () => next,
  );
  try {
    return await Promise.race([next, quiet]);
  } finally {
    next.catch(() => undefined);
    quiet.catch(() => undefined);
    settled.abort();
  }
}

/** The body of a refusal, which its package reads whole. */
function watchRefusal(body: ReadableStream<Uint8Array>, { exchange, received }: Watch): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        received();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        exchange.broken = true;
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function wellFormed(init: RequestInit | undefined): RequestInit | undefined {
  return typeof init?.body === "string" ? { ...init, body: wellFormedBody(init.body) } : init;
}

/** What may be fetched, in the words of whichever platform's types are in force. */
type Asked = Parameters<typeof globalThis.fetch>[0];

/** A fetch that notes in `watch.exchange` what it sees. `fetch` is called without a receiver, as Workers demand. */
export function observeFetch(fetch: typeof globalThis.fetch, watch: Watch): typeof globalThis.fetch {
  const { exchange } = watch;
  const observed = async (input: Asked | URL, init?: RequestInit): Promise<Response> => {
    let response: Response;
    try {
      response = await fetch(input as Asked, wellFormed(init));
    } catch (error) {
      exchange.broken = true;
      throw error;
    }
    exchange.status = response.status;
    exchange.headers = response.headers;
    watch.received();
    const body: ReadableStream<Uint8Array> | null = response.body;
    if (body === null) return response;
    return new Response(response.ok ? watchAnswer(body, watch) : watchRefusal(body, watch), {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
  return observed as typeof globalThis.fetch;
}
