// The conversation as a JSON list of UI messages, written page by page: a long one is never in memory as a whole.

import type { TranscriptPage } from "#core/rpc/thread-rpc.ts";

import type { IsServerTool } from "./tool-parts.ts";
import { UiMessageList } from "./ui-messages.ts";

/** The source of a body. */
export interface MessagesBody {
  /** The first page. It is read before the response starts, so that an error still gets its own status. */
  first: TranscriptPage;
  more: (cursor: string) => Promise<TranscriptPage>;
  /** The path under which the API is served; empty for the root. */
  prefix: string;
  isServerTool: IsServerTool;
}

/** Returns the body as a stream of bytes. */
export function messagesBody({ first, more, prefix, isServerTool }: MessagesBody): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const list = new UiMessageList({ prefix, threadId: first.thread.id, pending: first.pending, isServerTool });
  let page: TranscriptPage | null = first;
  let separator = "[";
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (page === null) return;
        const complete = page.entries.flatMap((entry) => list.add(entry));
        const { next_cursor } = page;
        page = next_cursor === null ? null : await more(next_cursor);
        const messages = page === null ? [...complete, ...list.end()] : complete;
        const text = messages.map((message) => JSON.stringify(message)).join(",");
        const chunk = text === "" ? "" : separator + text;
        if (text !== "") separator = ",";
        const end = page === null ? (separator === "[" ? "[]" : "]") : "";
        controller.enqueue(encoder.encode(chunk + end));
        if (page === null) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}
