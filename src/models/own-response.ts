// Creates the fetch of a provider of the project's own, which reads responses of any form. Invariants: each request is aborted with the model
// request, also without a signal of its own; a response has at most `longestResponse` bytes; each piece of a body counts for the time limits
// of silence.

import { anySignal } from "#lib/any-signal.ts";

import { refusalBody, type Watch } from "./observed-fetch.ts";
import { untilAborted } from "./read-stream.ts";

/** The maximum number of bytes of a response. */
const longestResponse = 32 * 1024 * 1024;

type FetchInput = Parameters<typeof globalThis.fetch>[0];

/** Creates the fetch. `fetch` records the status and the headers in `watch.exchange`. `signal` is that of the model request. */
export function boundedFetch(
  fetch: typeof globalThis.fetch,
  watch: Watch,
  signal: AbortSignal,
): typeof globalThis.fetch {
  const bounded = async (input: FetchInput, options?: RequestInit): Promise<Response> => {
    const { address, init } = await withoutRequest(input, options);
    const given = init?.signal ?? null;
    const both = given === null || given === signal ? signal : anySignal([signal, given]);
    const response = await fetch(address, { ...init, signal: both });
    const body: ReadableStream<Uint8Array> | null = response.body;
    const { status, statusText, headers } = response;
    // The code of the project may throw an error of its own for a refusal, and leave the body.
    watch.exchange.mayHaveText = !response.ok && body !== null && headers.get("content-length") !== "0";
    if (body === null) return response;
    return new Response(response.ok ? boundedBody(body, watch, both) : refusalBody(body, watch), {
      status,
      statusText,
      headers,
    });
  };
  return bounded as typeof globalThis.fetch;
}

/** The address and the options of a request. A redirect sends the options again, which a `Request` object would keep to itself. */
async function withoutRequest(
  input: FetchInput,
  init: RequestInit | undefined,
): Promise<{ address: Exclude<FetchInput, Request>; init: RequestInit | undefined }> {
  if (!(input instanceof Request)) return { address: input, init };
  const { url, method, headers, body, signal } = new Request(input, init);
  const bytes = body === null ? null : await new Response(body).arrayBuffer();
  return { address: url, init: { method, headers, body: bytes, signal } };
}

/** The body up to the bound. An abort ends it with an error, also if the connection ignores the signal. */
function boundedBody(
  body: ReadableStream<Uint8Array>,
  { exchange, received }: Watch,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const release = (): void => {
    reader.cancel().catch(() => undefined);
  };
  let remaining = longestResponse;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await untilAborted(reader.read(), signal);
        received();
        if (done) return controller.close();
        exchange.begun = true;
        remaining -= value.byteLength;
        if (remaining >= 0) return controller.enqueue(value);
      } catch (error) {
        exchange.broken = true;
        release();
        return controller.error(error);
      }
      release();
      controller.error(new Error(`The server sent more than ${longestResponse / 1024 / 1024} MiB in one response.`));
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
