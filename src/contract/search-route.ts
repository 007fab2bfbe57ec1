// The routes that search messages for a text, in one thread or in the newest threads of a caller. Rows of the one route table.

import { z } from "zod";

import type { BuiltInRoute } from "./built-in-route.ts";
import { errorCodes } from "./error.ts";
import { listMessagesSchema } from "./message-route.ts";
import { limit } from "./query-field.ts";
import { roleSchema } from "./thread-message.ts";
import { listThreadsSchema } from "./thread-route.ts";
import { threadSchema } from "./thread.ts";

/** Maximal UTF-16 units of the text to search for. */
const searchedTextLimit = 200;

/** Threads that are searched for one page of a search over threads. */
const searchedThreads = 50;

const q = z.string().min(1).max(searchedTextLimit);

/** Query of `GET /api/threads/:id/messages-search`: the filters of the list of messages. */
export const searchMessagesSchema = listMessagesSchema.omit({ order: true }).extend({ q, limit: limit(20, 100) });

/** Query of `GET /api/messages-search`: the filters of the list of threads. */
const searchThreadsSchema = listThreadsSchema.extend({ q, limit: limit(searchedThreads, searchedThreads) });

/** A message that contains the text, with the position of its first occurrence. */
const messageHitSchema = z.object({
  message_id: z.string(),
  position: z.string(),
  created_at: z.number().int(),
  role: roleSchema,
  /** Part of the message's text, with `…` where it was cut. */
  excerpt: z.string(),
  /** Position of the text in `excerpt`, in UTF-16 units. */
  start: z.number().int().nonnegative(),
  length: z.number().int().positive(),
});
export type MessageHit = z.infer<typeof messageHitSchema>;

/** Newest first. A page may be empty and still have a `next_cursor`: older messages remain to be searched. */
const messageHitsSchema = z.object({ hits: z.array(messageHitSchema), next_cursor: z.string().nullable() });
export type MessageHits = z.infer<typeof messageHitsSchema>;

/** A thread with its newest hits. */
const threadHitsSchema = messageHitsSchema.extend({
  thread: threadSchema,
  /** Why the thread was not searched; null if it was. */
  error: z.object({ code: z.enum(errorCodes), message: z.string() }).nullable(),
});
export type ThreadHits = z.infer<typeof threadHitsSchema>;

export const searchRoutes = {
  searchMessages: {
    method: "GET",
    path: "/api/threads/:id/messages-search",
    summary: "The messages of a thread whose text has a text, newest first",
    tag: "messages",
    access: "user",
    query: searchMessagesSchema,
    answers: { 200: messageHitsSchema },
  },
  searchThreads: {
    method: "GET",
    path: "/api/messages-search",
    summary: "The caller's threads that have messages with a text: 50 threads a page, newest activity first",
    tag: "messages",
    access: "user",
    query: searchThreadsSchema,
    answers: { 200: z.object({ threads: z.array(threadHitsSchema), next_cursor: z.string().nullable() }) },
  },
} as const satisfies Record<string, BuiltInRoute>;

export type SearchMessages = z.infer<typeof searchMessagesSchema>;
