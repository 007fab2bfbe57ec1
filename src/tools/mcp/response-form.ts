// Finds out by its first characters whether the body of a response is JSON or a stream of events. Servers send both with types such as
// text/plain, or without a type, and with the status 202.

/** The number of characters that are read at most to find the form. */
const mostRead = 1024;

/** A response, and whether its body is a stream of events. */
interface FormedResponse {
  response: Response;
  isEvents: boolean;
}

const event = "text/event-stream";
const json = "application/json";
const eventsBegin = /^\s*(?:event|data|id|retry)?:/;
const jsonBegins = /^\s*[[{]/;
/** The beginning of another body. A stream may stay open after a short event, so the function does not wait for more than these characters. */
const otherBegins = /^\s*\S(?:\S{5}|\S{0,4}\s)/;

/**
 * Returns the response to a request with the content type of its body. A response whose body is neither JSON nor a stream of events is returned
 * unchanged, except that its body may have been read by this function and is passed on. JSON keeps its status.
 */
export async function formedResponse(response: Response): Promise<FormedResponse> {
  const { status, statusText } = response;
  const stream = response.body as ReadableStream<Uint8Array> | null;
  const type = (response.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase();
  if (type === event && status !== 202) return { response, isEvents: true };
  if (stream === null) return { response, isEvents: false };
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  const pieces: Uint8Array[] = [];
  let text = "";
  let isEnded = false;
  const isKnown = () => [eventsBegin, jsonBegins, otherBegins].some((form) => form.test(text));
  while (!isEnded && text.length < mostRead && !isKnown()) {
    const { value, done } = await reader.read();
    isEnded = done;
    if (value === undefined) continue;
    pieces.push(value);
    text += decoder.decode(value, { stream: true });
  }
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = pieces.shift();
      if (piece !== undefined) return controller.enqueue(piece);
      const { value, done } = isEnded ? { value: undefined, done: true } : await reader.read();
      if (value === undefined || done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const isEvents = eventsBegin.test(text);
  const isMessage = isEvents || jsonBegins.test(text);
  const headers = new Headers(response.headers);
  if (isMessage) headers.set("content-type", isEvents ? event : json);
  const formed = new Response(body, { status: isEvents ? 200 : status, statusText, headers });
  return { response: formed, isEvents };
}
