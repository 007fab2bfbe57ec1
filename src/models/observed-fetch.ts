// Watches the one HTTP exchange of a model call, because the provider packages keep little of it: status and headers are
// needed to classify a failure, and whether bytes stopped flowing tells a broken connection from a refusal.

import { wellFormedBody } from "./well-formed-body.ts";

/** What was seen of the exchange so far. */
export interface Exchange {
  /** Status of the last response; null before there is one. */
  status: number | null;
  headers: Headers | null;
  /** The request, or the reading of its answer, failed below HTTP. */
  broken: boolean;
}

/** An exchange of which nothing was seen yet. */
export function newExchange(): Exchange {
  return { status: null, headers: null, broken: false };
}

function watchBody(body: ReadableStream<Uint8Array>, exchange: Exchange): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
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

/** A fetch that notes in `exchange` what it sees. `fetch` is called without a receiver, as Workers demand. */
export function observeFetch(fetch: typeof globalThis.fetch, exchange: Exchange): typeof globalThis.fetch {
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
    const body: ReadableStream<Uint8Array> | null = response.body;
    if (body === null) return response;
    return new Response(watchBody(body, exchange), {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
  return observed as typeof globalThis.fetch;
}
