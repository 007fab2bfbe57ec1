// What can be followed, and where: a thread's events, or what becomes of all threads of an owner.

import type { EventType } from "#contract/event.ts";

import type { QueryValue } from "../address.ts";
import type { RouteKey } from "../route-type.ts";

/** Where a stream is, for each kind of carrier. */
export interface Stream {
  readonly socket: RouteKey;
  readonly sse: RouteKey;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, QueryValue>>;
}

/** Which of a thread's events are sent. */
export interface ThreadStreamOptions {
  /** Events of silent messages, too. */
  silent?: boolean | undefined;
  /** Events of these types only; all by default. */
  types?: readonly EventType[] | undefined;
  /** The stream ends when the thread is idle. */
  until?: "idle" | undefined;
}

/** A thread's events. */
export function threadStream(id: string, { silent, types, until }: ThreadStreamOptions = {}): Stream {
  const query = { include_silent: silent, types, until };
  return { socket: "GET /api/threads/:id/stream", sse: "GET /api/threads/:id/events", params: { id }, query };
}

/** What becomes of an owner's threads; the caller's own where nobody is named. */
export function feedStream(userId: string | undefined): Stream {
  const key = "GET /api/threads/events";
  return { socket: key, sse: key, params: {}, query: { user_id: userId } };
}
