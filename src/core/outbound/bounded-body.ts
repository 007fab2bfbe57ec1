// Bounds a response body: its actual bytes, regardless of its headers, and the time between two chunks. A chunk is read only when the
// consumer requests one.

import type { Exchange } from "./exchange.ts";

/** The bounds of a body, and the errors for exceeding them. */
export interface BodyBounds {
  bytes: number;
  idleMs: number;
  tooLarge: () => Error;
  silent: () => Error;
  broken: () => Error;
}

/** The bounded body. At its end, failure or cancellation the exchange ends too, and the connection is released. */
export function boundedBody(
  body: ReadableStream<Uint8Array>,
  exchange: Exchange,
  bounds: BodyBounds,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const failed = () => {
          controller.error(exchange.signal.reason);
          // The body is abandoned already, so a failure to cancel it has no consequence.
          reader.cancel().catch(() => undefined);
        };
        if (exchange.signal.aborted) failed();
        else exchange.signal.addEventListener("abort", failed, { once: true });
      },
      async pull(controller) {
        const disarm = exchange.limit(bounds.idleMs, bounds.silent);
        try {
          const { done, value } = await reader.read();
          if (exchange.signal.aborted) return;
          if (done) {
            exchange.end();
            controller.close();
            return;
          }
          bytes += value.byteLength;
          if (bytes > bounds.bytes) exchange.fail(bounds.tooLarge());
          else controller.enqueue(value);
        } catch {
          exchange.fail(bounds.broken());
        } finally {
          disarm();
        }
      },
      async cancel(reason) {
        exchange.end();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
