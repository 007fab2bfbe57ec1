// Follows by server-sent events over fetch, which can carry a token in a header: where no socket is to be had.

import type { ErrorCode } from "#contract/error.ts";

import { ThreadholdClientError, ThreadholdNetworkError } from "../client-error.ts";
import { readEvent, openTimeoutMs, tellError } from "./carrier.ts";
import type { Carrying, Sink, Target } from "./carrier.ts";
import { sseParser } from "./sse-parser.ts";

/** The server breaks every silence after 15 s with a comment; twice that and more, and nobody is there. */
const silenceMs = 45_000;

/** Opens it. */
export function openSse({ requests, stream, after }: Target, sink: Sink): Carrying {
  const { timers } = requests.settings;
  const leave = new AbortController();
  let callOff = (): void => undefined;
  let open = true;
  const close = (): void => {
    open = false;
    callOff();
    leave.abort();
  };
  const fail = (thrown: unknown): void => {
    if (!open) return;
    close();
    tellError(sink, thrown);
  };
  const heard = (): void => {
    callOff();
    callOff = timers.after(silenceMs, () => fail(new ThreadholdNetworkError("The stream fell silent.")));
  };
  const parse = sseParser(({ id, name, data }) => {
    if (!open) return;
    if (id === null && name === "thread_error") return fail(refusalOf(data));
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
      // The subscription itself tries again, after longer waits.
      retries: 0,
      timeoutMs: openTimeoutMs,
      signal: leave.signal,
    });
    if (!open) return;
    heard();
    sink.opened();
    const decoder = new TextDecoder();
    const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
    for (;;) {
      const piece = await reader?.read();
      if (!open) return;
      if (piece === undefined || piece.done) throw new ThreadholdNetworkError("The stream ended.");
      heard();
      parse(decoder.decode(piece.value, { stream: true }));
    }
  };
  read().catch((thrown: unknown) => {
    const known = thrown instanceof ThreadholdClientError || thrown instanceof ThreadholdNetworkError;
    fail(known ? thrown : new ThreadholdNetworkError("The stream broke off.", { cause: thrown }));
  });
  return { close, check: () => undefined };
}

/** The frame without a number that says why a stream is over. */
function refusalOf(data: string): ThreadholdClientError {
  const { code, message } = JSON.parse(data) as { code: ErrorCode; message: string };
  return new ThreadholdClientError({ code, message, status: 200 });
}
