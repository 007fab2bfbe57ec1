// The route of the live stream of a user's threads, as a row of the one route table.

import { z } from "zod";

import type { BuiltInRoute } from "./built-in-route.ts";

/** Query: the owner of the threads. An administrator may name any user; a user may name only itself. */
const watchThreadsSchema = z.strictObject({
  user_id: z.string().optional(),
  ticket: z.string().optional(),
});

export const feedRoutes = {
  watchThreads: {
    method: "GET",
    path: "/api/threads/events",
    summary: "What becomes of the caller's threads, live: as SSE, or over a WebSocket where the request is an upgrade",
    tag: "events",
    access: "user",
    query: watchThreadsSchema,
    answers: { 200: null, 101: null },
    stream: "either",
  },
} as const satisfies Record<string, BuiltInRoute>;
