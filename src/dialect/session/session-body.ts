// A session as one JSON object, written page by page: a long conversation is never in memory as a whole.

import type { SessionMessage } from "#contract/session/session-message.ts";
import { toPendingCall, toSessionMessage } from "#contract/session/session-transcript.ts";
import type { Providers } from "#contract/session/session-transcript.ts";
import { sessionStatus } from "#contract/session/session-view.ts";
import type { TranscriptEntry, TranscriptPage } from "#core/rpc/thread-rpc.ts";

/** The source of a body. */
export interface SessionBody {
  id: string;
  /** The first page. It is read before the response starts, so that an error still gets its own status. */
  first: TranscriptPage;
  more: (cursor: string) => Promise<TranscriptPage>;
  providers: Providers;
}

/** Returns the body as a stream of bytes. */
export function sessionBody({ id, first, more, providers }: SessionBody): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let page: TranscriptPage | null = first;
  let separator = "";
  const head = {
    id,
    status: sessionStatus(first.thread.status),
    model: first.model,
    totalCost: first.cost,
    pendingToolCalls: first.pending.map(toPendingCall),
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(`${JSON.stringify(head).slice(0, -1)},"messages":[`));
      },
      async pull(controller) {
        if (page === null) return;
        const items = page.entries.flatMap((entry) => shown(entry, providers) ?? []).map((one) => JSON.stringify(one));
        const text = items.length === 0 ? "" : `${separator}${items.join(",")}`;
        if (items.length > 0) separator = ",";
        const { next_cursor } = page;
        page = next_cursor === null ? null : await more(next_cursor);
        const end = next_cursor === null ? "]}" : "";
        controller.enqueue(encoder.encode(text + end));
        if (next_cursor === null) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

function shown({ message, error }: TranscriptEntry, providers: Providers): SessionMessage | null {
  return message === null ? { role: "error", error: error ?? "" } : toSessionMessage(message, { providers, error });
}
