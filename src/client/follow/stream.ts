// What can be followed, and where: a thread's events, or what becomes of all threads of an owner.

import type { QueryValue } from "../address.ts";
import type { RouteKey } from "../route-type.ts";

/** Where a stream is, for each kind of carrier. */
export interface Stream {
  readonly socket: RouteKey;
  readonly sse: RouteKey;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, QueryValue>>;
}

/** A thread's events, those of silent messages too where asked for. */
export function threadStream(id: string, silent?: boolean): Stream {
  const query = { include_silent: silent };
  return { socket: "GET /api/threads/:id/stream", sse: "GET /api/threads/:id/events", params: { id }, query };
}

/** What becomes of an owner's threads; the caller's own where nobody is named. */
export function feedStream(userId: string | undefined): Stream {
  const key = "GET /api/threads/events";
  return { socket: key, sse: key, params: {}, query: { user_id: userId } };
}
