// Reads a server-sent event stream into a feed.

import { createParser } from "eventsource-parser";

import { RecordedSubscription } from "./feed.ts";

/** The feed of a response that was fetched with the signal of `leave`, which closes it. */
export function sseFeed(response: Response, leave: AbortController): RecordedSubscription {
  const feed = new RecordedSubscription(() => leave.abort());
  const parser = createParser({
    onEvent: ({ event, data, id }) => {
      if (event === "end") feed.end("end");
      else if (id === undefined) feed.end(`refused: ${data}`);
      else feed.take(data);
    },
    onError: (error) => feed.faults.push(error.message),
  });
  void read(response, (text) => parser.feed(text)).then(
    () => feed.end("closed"),
    (error: unknown) => feed.end(`broken: ${String(error)}`),
  );
  return feed;
}

async function read(response: Response, take: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) take(decoder.decode(chunk, { stream: true }));
}
