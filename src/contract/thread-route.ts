// The routes of threads, as rows of the one route table: create, list, read, change and delete.

import { z } from "zod";

import type { BuiltInRoute } from "./built-in-route.ts";
import { inputContentSchema } from "./content.ts";
import { inputAttachmentsSchema } from "./input-attachment.ts";
import { jsonObjectSchema } from "./json.ts";
import { listSchema } from "./list-page.ts";
import { cursorField, flag, limit } from "./query-field.ts";
import { threadSchema, threadStatusSchema } from "./thread.ts";

const mib = 1024 * 1024;

const title = z.string().max(500);
const tags = z.array(z.string().min(1).max(100)).max(50);
const agentName = z.string().min(1).max(200);

/** A message that a new thread contains. Such messages are stored in order and start no run. */
const initialMessageSchema = z
  .object({
    role: z.enum(["user", "assistant", "system"]),
    content: inputContentSchema,
    attachments: inputAttachmentsSchema.optional(),
    silent: z.boolean().optional(),
    metadata: jsonObjectSchema.optional(),
  })
  .strict();
export type InitialMessage = z.infer<typeof initialMessageSchema>;

/** Body of `POST /api/threads`. */
export const createThreadSchema = z
  .object({
    agent_id: agentName,
    user_id: z.string().min(1).max(200).nullable().optional(),
    title: title.optional(),
    tags: tags.optional(),
    metadata: jsonObjectSchema.optional(),
    initial_messages: z.array(initialMessageSchema).max(1000).optional(),
    id: z.uuid().optional(),
  })
  .strict();
export type CreateThread = z.infer<typeof createThreadSchema>;

/** Body of `PATCH /api/threads/:id`; at least one field. */
export const patchThreadSchema = z
  .object({
    title: title.nullable().optional(),
    tags: tags.optional(),
    metadata: jsonObjectSchema.optional(),
    agent_id: agentName.optional(),
  })
  .strict()
  .refine((body) => Object.keys(body).length > 0, "name at least one field to change");
export type PatchThread = z.infer<typeof patchThreadSchema>;

/** Query of `GET /api/threads`. */
export const listThreadsSchema = z
  .object({
    agent_id: z.string().optional(),
    user_id: z.string().optional(),
    status: threadStatusSchema.optional(),
    /** Only threads with calls that wait for a client or a person. */
    waiting: flag.optional(),
    tag: z.string().optional(),
    q: z.string().max(500).optional(),
    parent_id: z.string().optional(),
    /** By the last activity. `newest` when absent. */
    order: z.enum(["newest", "oldest"]).optional(),
    limit: limit(50, 200),
    cursor: cursorField.optional(),
  })
  .strict();

export const threadRoutes = {
  createThread: {
    method: "POST",
    path: "/api/threads",
    summary: "Creates a thread; its initial messages start no run",
    tag: "threads",
    access: "user",
    body: createThreadSchema,
    bodyLimit: 8 * mib,
    keyed: true,
    answers: { 201: threadSchema },
  },
  listThreads: {
    method: "GET",
    path: "/api/threads",
    summary: "The caller's threads, newest activity first, or oldest first with `order=oldest`",
    tag: "threads",
    access: "user",
    query: listThreadsSchema,
    answers: { 200: listSchema("threads", threadSchema) },
  },
  getThread: {
    method: "GET",
    path: "/api/threads/:id",
    summary: "One thread",
    tag: "threads",
    access: "user",
    answers: { 200: threadSchema },
  },
  patchThread: {
    method: "PATCH",
    path: "/api/threads/:id",
    summary: "Changes title, tags, metadata or agent",
    tag: "threads",
    access: "user",
    body: patchThreadSchema,
    answers: { 200: threadSchema },
  },
  deleteThread: {
    method: "DELETE",
    path: "/api/threads/:id",
    summary: "Stops the run and deletes everything the thread holds",
    tag: "threads",
    access: "user",
    answers: { 204: null },
  },
} as const satisfies Record<string, BuiltInRoute>;
