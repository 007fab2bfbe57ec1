// Finds out by its first characters whether the body of a response is JSON or a stream of events. Servers send both with types such as
// text/plain, or without a type, and with the status 202.

/** The number of characters that are read at most to find the first one that is no white space. */
const mostRead = 1024;

/** A response, and whether its body is a stream of events. */
interface FormedResponse {
  response: Response;
  isEvents: boolean;
}

const event = "text/event-stream";
const json = "application/json";

/**
 * Returns the response to a request with the content type of its body. A response whose body is neither JSON nor a stream of events is returned
 * unchanged, except that its body may have been read by this function and is passed on.
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
  while (!isEnded && text.length < mostRead && !/^\s*\S{6}/.test(text)) {
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
  const isEvents = /^\s*(?:event|data|id|retry)?:/.test(text);
  const isMessage = isEvents || /^\s*[[{]/.test(text);
  const headers = new Headers(response.headers);
  if (isMessage) headers.set("content-type", isEvents ? event : json);
  const formed = new Response(body, { status: isMessage ? 200 : status, statusText, headers });
  return { response: formed, isEvents };
}
