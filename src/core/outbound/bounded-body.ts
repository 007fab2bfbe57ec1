// A body that cannot go on for ever: its bytes are counted as they come, whatever its headers said, and so is the time
// between two pieces. Pieces are fetched when they are asked for, none ahead.

import type { Exchange } from "./exchange.ts";

/** Bounds of a body, and what breaking them means. */
export interface BodyBounds {
  bytes: number;
  idleMs: number;
  tooLarge: () => Error;
  silent: () => Error;
  broken: () => Error;
}

/** The body, bounded. When it is over in any way, so is its exchange, and the other side is told. */
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
          // The body is given up; that giving it up fails as well tells nothing new.
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
