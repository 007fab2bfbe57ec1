// The routes that follow a thread's events, as rows of the one route table.

import { z } from "zod";

import type { BuiltInRoute } from "./built-in-route.ts";
import { digits, flag } from "./query-field.ts";

/** Query of `GET /api/threads/:id/events` and `/stream`. */
export const subscribeSchema = z
  .object({
    after: digits(0).optional(),
    types: z.string().max(1000).optional(),
    depth: digits(0, 100).optional(),
    include_silent: flag.default(false),
    until: z.literal("idle").optional(),
    ticket: z.string().optional(),
  })
  .strict();
export type Subscribe = z.infer<typeof subscribeSchema>;

export const streamRoutes = {
  threadEvents: {
    method: "GET",
    path: "/api/threads/:id/events",
    summary: "The thread's events as SSE: what is kept after a number, then live",
    tag: "events",
    access: "user",
    query: subscribeSchema,
    answers: { 200: null },
    stream: "events",
  },
  threadStream: {
    method: "GET",
    path: "/api/threads/:id/stream",
    summary: "The same over a WebSocket, one JSON event a frame",
    tag: "events",
    access: "user",
    query: subscribeSchema,
    answers: { 101: null },
    stream: "socket",
  },
} as const satisfies Record<string, BuiltInRoute>;
