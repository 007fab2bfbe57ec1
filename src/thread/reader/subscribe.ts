// Opens the subscriber socket: reads what the reader wants and lets it join (architecture §5.7).

import { acknowledgementSchema } from "#contract/acknowledgement.ts";
import { refuse } from "#contract/error.ts";
import { isFinished } from "#contract/finished.ts";
import { bodyBounds } from "#contract/json.ts";
import { subscribeSchema } from "#contract/request.ts";
import type { StreamLease } from "#core/lease.ts";
import { endField } from "#core/thread-rpc.ts";
import { parseBoundedOrNull } from "#lib/bounded-json.ts";

import { tellChildrenOfWatcher } from "../children/watching.ts";
import type { ObjectContext } from "../object-context.ts";
import { Reader } from "./reader.ts";
import type { Cursor, Wish } from "./subscription.ts";

/** Sockets one thread holds at the same time. */
const readerLimit = 2000;

/** An upgrade request, and the lease of its stream. */
export interface Upgrade {
  state: DurableObjectState;
  url: URL;
  lease: StreamLease | null;
}

/** Accepts an upgrade and gives the client's end. */
export function subscribe(context: ObjectContext, { state, url, lease }: Upgrade): Response {
  const { live } = context;
  if (live.broadcaster.readers >= readerLimit) {
    throw refuse("rate_limited", `This thread has ${readerLimit} subscribers already.`);
  }
  const runId = url.searchParams.get("run_id");
  const query = new URLSearchParams(url.search);
  query.delete("run_id");
  query.delete("ticket");
  const endsAt = query.get(endField);
  query.delete(endField);
  const asked = subscribeSchema.parse(Object.fromEntries(query));
  const wish: Wish = {
    types: asked.types === undefined ? null : asked.types.split(","),
    depth: asked.depth ?? null,
    includeSilent: asked.include_silent,
    runId,
    untilIdle: asked.until === "idle",
  };
  // A number from the future is of another thread, or of this one before it was deleted and made again.
  const after = asked.after === undefined || asked.after > live.lastSeq ? null : asked.after;
  const cursor: Cursor = { wish, cursor: after ?? live.lastSeq, prev: after ?? 0, acknowledged: false };
  if (endsAt !== null) cursor.endsAt = Number(endsAt);
  if (lease !== null) cursor.lease = lease;

  const { 0: client, 1: server } = new WebSocketPair();
  state.acceptWebSocket(server, lease === null ? [] : [lease.id]);
  const reader = new Reader(server, cursor);
  live.broadcaster.join(reader, after);
  tellChildrenOfWatcher(context);
  settleAtOnce(context, reader);
  reader.save();
  return new Response(null, { status: 101, webSocket: client });
}

/** A reader of a run that was over before it came is let go. */
function settleAtOnce({ live }: ObjectContext, reader: Reader): void {
  if (reader.closed || reader.behind || reader.wish.runId === null) return;
  const status = live.store.run(reader.wish.runId)?.status;
  if (status !== undefined && status !== "awaiting_tool_execution" && !isFinished(status)) return;
  reader.end();
  live.broadcaster.leave(reader);
}

/** Takes a reader's message: an acknowledgement; anything else is ignored. */
export function acknowledge({ live }: ObjectContext, socket: WebSocket, text: string): void {
  const reader = live.broadcaster.find(socket);
  if (reader === undefined || text.length > 200) return;
  const parsed = acknowledgementSchema.safeParse(parseBoundedOrNull(text, bodyBounds));
  if (parsed.success) live.broadcaster.acknowledge(reader, parsed.data.seq);
}
