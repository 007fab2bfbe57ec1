// The streams that a client can follow: the events of one thread, and the feed of an owner's threads.

import type { EventType } from "#contract/event.ts";

import type { QueryValue } from "../address.ts";
import type { RouteKey } from "../route-type.ts";

/** Routes, path parameters and query of a stream. */
export interface Stream {
  readonly socket: RouteKey;
  readonly sse: RouteKey;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, QueryValue>>;
}

/** Which events of a thread the stream contains. */
export interface ThreadStreamOptions {
  /** Whether to include events of silent messages. */
  silent?: boolean | undefined;
  /** Only events of these types. Default: all types. */
  types?: readonly EventType[] | undefined;
  /** The server ends the stream when the thread is idle. */
  until?: "idle" | undefined;
}

/** The stream of a thread's events. */
export function threadStream(id: string, { silent, types, until }: ThreadStreamOptions = {}): Stream {
  const query = { include_silent: silent, types, until };
  return { socket: "GET /api/threads/:id/stream", sse: "GET /api/threads/:id/events", params: { id }, query };
}

/** The feed of an owner's threads; of the caller's own threads if `userId` is undefined. */
export function feedStream(userId: string | undefined): Stream {
  const key = "GET /api/threads/events";
  return { socket: key, sse: key, params: {}, query: { user_id: userId } };
}
