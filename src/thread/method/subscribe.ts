// Opens and restores subscriptions: an upgrade request becomes a filter and a cursor, a socket of the object, and a reader that
// receives the events after its cursor (architecture §5.7). Filter and cursor are stored in the socket's attachment, so that they
// outlast hibernation.

import { readAcknowledgement } from "#contract/acknowledgement.ts";
import { refuse } from "#contract/error.ts";
import { isFinished } from "#contract/finished.ts";
import { subscribeSchema } from "#contract/stream-route.ts";
import type { StreamLease } from "#core/rpc/lease.ts";
import { endField } from "#core/rpc/thread-rpc.ts";

import { notifyChildrenOfReader } from "../children/watching.ts";
import type { LiveThread } from "../live/live-thread.ts";
import { cursorSchema } from "../reader/reader-cursor.ts";
import type { Cursor, EventFilter } from "../reader/reader-cursor.ts";
import { Reader } from "../reader/reader.ts";
import type { ReaderSocket } from "../reader/reader.ts";
import type { OpenThread } from "./loaded-thread.ts";

/** Maximal number of sockets of one thread. */
const readerLimit = 2000;

/** An upgrade request, and the lease of its stream. */
export interface Upgrade {
  state: DurableObjectState;
  url: URL;
  lease: StreamLease | null;
}

/** Accepts an upgrade: sends the missed events, then every new one. Returns the response with the client's end of the socket. */
export function subscribe(
  context: Pick<OpenThread, "deployment" | "live" | "background">,
  { state, url, lease }: Upgrade,
): Response {
  const { live } = context;
  if (live.broadcaster.readers >= readerLimit) {
    throw refuse("rate_limited", `This thread has ${readerLimit} subscribers already.`);
  }
  const { filter, after, endsAt } = readQuery(url.searchParams, live.lastSeq);
  const cursor: Cursor = { filter, cursor: after ?? live.lastSeq, prev: after ?? 0, acknowledged: false };
  if (endsAt !== null) cursor.endsAt = endsAt;
  if (lease !== null) cursor.lease = lease;

  const { 0: client, 1: server } = new WebSocketPair();
  state.acceptWebSocket(server, lease === null ? [] : [lease.id]);
  const reader = new Reader(server, cursor);
  live.broadcaster.join(reader, after);
  notifyChildrenOfReader(context);
  endIfRunIsOver(live, reader);
  reader.save();
  return new Response(null, { status: 101, webSocket: client });
}

/** Reads the query that the Worker built. `after` is null if the subscription begins with a snapshot. */
function readQuery(given: URLSearchParams, lastSeq: number) {
  const query = new URLSearchParams(given);
  const [runId, endsAt] = [query.get("run_id"), query.get(endField)];
  for (const field of ["run_id", "ticket", endField]) query.delete(field);
  const fields = subscribeSchema.parse(Object.fromEntries(query));
  const filter: EventFilter = {
    types: fields.types === undefined ? null : fields.types.split(","),
    depth: fields.depth ?? null,
    includeSilent: fields.include_silent,
    runId,
    untilIdle: fields.until === "idle",
  };
  // A number above the thread's last one comes from another thread, or from a deleted thread with the same id.
  const after = fields.after === undefined || fields.after > lastSeq ? null : fields.after;
  return { filter, after, endsAt: endsAt === null ? null : Number(endsAt) };
}

/** Ends a subscription to a run that had already ended, waited for a client or did not exist when the reader joined. */
function endIfRunIsOver(live: LiveThread, reader: Reader): void {
  const { runId } = reader.filter;
  if (reader.closed || reader.behind || runId === null) return;
  const status = live.store.run(runId)?.status;
  if (status !== undefined && status !== "awaiting_tool_execution" && !isFinished(status)) return;
  reader.end();
  live.broadcaster.leave(reader);
}

/** Close code of a subscription that the client has to open again, after the last event that it has (RFC 6455, "service restart"). */
const reopenCloseCode = 1012;

/**
 * The reader of a socket that was accepted before hibernation. Null if another version of the code wrote the socket's attachment in a
 * form that this one does not read. Such a socket is closed, so that its client subscribes again.
 */
export function restoreReader(socket: ReaderSocket): Reader | null {
  const cursor = cursorSchema.safeParse(socket.deserializeAttachment());
  if (cursor.success) return new Reader(socket, cursor.data);
  socket.close(reopenCloseCode, "subscribe_again");
  return null;
}

/** The lease of a socket's stream; undefined if the stream has none. It is read whatever the form of the rest of the attachment. */
export function leaseOf(socket: ReaderSocket): StreamLease | undefined {
  return cursorSchema.pick({ lease: true }).safeParse(socket.deserializeAttachment()).data?.lease;
}

/** Handles a message from a reader. It can only acknowledge events; any other message is ignored. */
export function acknowledge(live: LiveThread, socket: WebSocket, text: string): void {
  const reader = live.broadcaster.find(socket);
  const seq = reader === undefined ? null : readAcknowledgement(text);
  if (reader !== undefined && seq !== null) live.broadcaster.acknowledge(reader, seq);
}
