// Bounds the body of a response while a package reads and parses it: the package receives a response whose body breaks off with an error at
// the first byte, value or line above a bound.

/** Counts the pieces of a text. `read` throws at the first piece above a bound. */
export interface TextMeter {
  read: (piece: string) => void;
}

/** Options of a counted response. */
interface CountOptions {
  /** The maximum number of bytes. Absent: the function that sent the request bounds them. */
  bytes?: number;
  /** The error of a body that exceeds a bound. Absent: the error of the meter. */
  refusal?: (thrown: unknown) => unknown;
}

/** The response with a body that is counted while it is read. A body that exceeds a bound is cancelled. */
export function countedResponse(
  response: Response,
  meter: TextMeter,
  { bytes = Infinity, refusal = (thrown) => thrown }: CountOptions = {},
): Response {
  const { status, statusText, headers } = response;
  const body: ReadableStream<Uint8Array> | null = response.body;
  if (body === null) return response;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let length = 0;
  const counted = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await reader.read();
      if (done) return controller.close();
      length += value.byteLength;
      try {
        if (length > bytes) throw new Error(`has more than ${bytes} bytes`);
        meter.read(decoder.decode(value, { stream: true }));
      } catch (thrown) {
        controller.error(refusal(thrown));
        // The rest of the body is not used, so a failure to cancel it has no consequence.
        await reader.cancel().catch(() => undefined);
        return;
      }
      controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(counted, { status, statusText, headers });
}

/** Whether the content type is that of a stream of events. */
export function isEventStream(headers: Headers): boolean {
  return /^\s*text\/event-stream\b/i.test(headers.get("content-type") ?? "");
}
