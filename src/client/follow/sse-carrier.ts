// The carrier for server-sent events over fetch. Unlike a WebSocket or EventSource in a browser, fetch can send a token in a header.

import type { ErrorCode } from "#contract/error.ts";

import { ThreadholdClientError, ThreadholdNetworkError } from "../client-error.ts";
import { readEvent, openTimeoutMs, reportError } from "./carrier.ts";
import type { OpenedCarrier, CarrierSink, Target } from "./carrier.ts";
import { sseParser } from "./sse-parser.ts";

/** Milliseconds without data after which the connection counts as lost. The server sends a comment at least every 15 seconds. */
const silenceMs = 45_000;

/** Opens the stream, and passes its events to the sink until the stream ends, fails or is closed. */
export function openSse({ requests, stream, after }: Target, sink: CarrierSink): OpenedCarrier {
  const { timers } = requests.settings;
  const abort = new AbortController();
  let cancelTimer = (): void => undefined;
  let open = true;
  const close = (): void => {
    open = false;
    cancelTimer();
    abort.abort();
  };
  const fail = (thrown: unknown): void => {
    if (!open) return;
    close();
    reportError(sink, thrown);
  };
  const restartSilenceTimer = (): void => {
    cancelTimer();
    cancelTimer = timers.after(silenceMs, () =>
      fail(new ThreadholdNetworkError(`The stream was silent for ${silenceMs} ms.`)),
    );
  };
  const parse = sseParser(({ id, name, data }) => {
    if (!open) return;
    if (id === null && name === "thread_error") return fail(errorFromFrame(data));
    if (id === null && name === "end") {
      close();
      return sink.ended?.();
    }
    const event = readEvent(data);
    if (event !== null) sink.event(event);
  });
  const read = async (): Promise<void> => {
    const response = await requests.stream(stream.sse, {
      params: stream.params,
      query: { after, ...stream.query },
      headers: { accept: "text/event-stream" },
      // The request itself is not retried: the link makes the next attempt, with longer delays.
      retries: 0,
      timeoutMs: openTimeoutMs,
      signal: abort.signal,
    });
    if (!open) return;
    restartSilenceTimer();
    sink.opened();
    const decoder = new TextDecoder();
    const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
    for (;;) {
      const piece = await reader?.read();
      if (!open) return;
      if (piece === undefined || piece.done) throw new ThreadholdNetworkError("The stream ended.");
      restartSilenceTimer();
      parse(decoder.decode(piece.value, { stream: true }));
    }
  };
  read().catch((thrown: unknown) => {
    const known = thrown instanceof ThreadholdClientError || thrown instanceof ThreadholdNetworkError;
    fail(known ? thrown : new ThreadholdNetworkError("The stream broke off.", { cause: thrown }));
  });
  return { close, check: () => undefined };
}

/** The error in a `thread_error` frame. Such a frame has no event number and ends the stream. */
function errorFromFrame(data: string): ThreadholdClientError {
  const { code, message } = JSON.parse(data) as { code: ErrorCode; message: string };
  return new ThreadholdClientError({ code, message, status: 200 });
}
