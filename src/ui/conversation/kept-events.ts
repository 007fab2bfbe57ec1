// Events of some types that a thread has kept, from its first: what was told before anybody looked. The server makes them again out
// of its rows, so they are asked for by type, once a thread, and nothing else travels.

import { errorOfAnswer } from "#client/client-error.ts";
import { sseParser } from "#client/follow/sse-parser.ts";
import { ThreadholdNetworkError } from "#client/index.ts";
import type { EventType, ThreadEvent, ThreadholdClient } from "#client/index.ts";

/** What is asked for. */
export interface KeptEvents {
  client: ThreadholdClient;
  threadId: string;
  types: readonly EventType[];
  signal: AbortSignal;
}

/** The events, oldest first, as many at a time as come; done when the thread is at rest. Throws where the answer breaks off. */
export async function* keptEvents(asked: KeptEvents): AsyncGenerator<ThreadEvent[], void, undefined> {
  const { client, threadId, types, signal } = asked;
  const query = new URLSearchParams({ after: "0", until: "idle", types: types.join(",") });
  const answer = await client.fetch(`/api/threads/${encodeURIComponent(threadId)}/events?${query.toString()}`, {
    headers: { accept: "text/event-stream" },
    signal,
  });
  if (!answer.ok) throw await errorOfAnswer(answer);
  if (answer.body === null) throw new ThreadholdNetworkError("The answer has no body.");
  let events: ThreadEvent[] = [];
  let whole = false;
  const parse = sseParser(({ id, name, data }) => {
    if (name === "end") whole = true;
    // What has no number is no event of the thread, as the word that the stream is over.
    if (id !== null) events.push(JSON.parse(data) as ThreadEvent);
  });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let piece = await next(reader, signal); !piece.done; piece = await next(reader, signal)) {
    parse(piece.value);
    if (events.length > 0) yield events;
    events = [];
  }
  if (!whole) throw new ThreadholdNetworkError(brokenOff);
}

const brokenOff = "The server's answer broke off.";

/** The next piece. Browsers throw errors of their own kinds where a body breaks off. */
async function next(
  reader: ReadableStreamDefaultReader<string>,
  signal: AbortSignal,
): Promise<ReadableStreamReadResult<string>> {
  try {
    return await reader.read();
  } catch (thrown) {
    signal.throwIfAborted();
    throw new ThreadholdNetworkError(brokenOff, { cause: thrown });
  }
}
