// What callers may send: bodies and query strings of the built-in routes. Unknown fields are refused, so that a typo is an
// error and not a silence.

import { z } from "zod";

import { attachmentLimit, inputAttachmentSchema } from "./attachment.ts";
import { inputContentSchema } from "./content.ts";
import { jsonObjectSchema } from "./json.ts";
import { logTypeSchema } from "./log.ts";
import { sideSchema } from "./message.ts";
import { digits, flag, limit } from "./query-field.ts";
import { limitsSchema } from "./run.ts";
import { threadStatusSchema } from "./thread.ts";

const title = z.string().max(500);
const tags = z.array(z.string().min(1).max(100)).max(50);
const nameReference = z.string().min(1).max(200);
const cursor = z.string().max(500);
const attachments = z.array(inputAttachmentSchema).max(attachmentLimit);

/** A message a thread begins with. Stored in order, starts no run. */
export const initialMessageSchema = z
  .object({
    role: z.enum(["user", "assistant", "system"]),
    content: inputContentSchema,
    attachments: attachments.optional(),
    silent: z.boolean().optional(),
    metadata: jsonObjectSchema.optional(),
  })
  .strict();

/** Body of `POST /api/threads`. */
export const createThreadSchema = z
  .object({
    agent_id: nameReference,
    user_id: z.string().min(1).max(200).nullable().optional(),
    title: title.optional(),
    tags: tags.optional(),
    metadata: jsonObjectSchema.optional(),
    initial_messages: z.array(initialMessageSchema).max(1000).optional(),
    id: z.uuid().optional(),
  })
  .strict();

/** Body of `PATCH /api/threads/:id`; at least one field. */
export const patchThreadSchema = z
  .object({
    title: title.nullable().optional(),
    tags: tags.optional(),
    metadata: jsonObjectSchema.optional(),
    agent_id: nameReference.optional(),
  })
  .strict()
  .refine((body) => Object.keys(body).length > 0, "name at least one field to change");

/** Query of `GET /api/threads`. */
export const listThreadsSchema = z
  .object({
    agent_id: z.string().optional(),
    user_id: z.string().optional(),
    status: threadStatusSchema.optional(),
    tag: z.string().optional(),
    q: z.string().max(500).optional(),
    parent_id: z.string().optional(),
    limit: limit(50, 200),
    cursor: cursor.optional(),
  })
  .strict();

/** Body of `POST /api/threads/:id/messages`. */
export const postMessageSchema = z
  .object({
    content: inputContentSchema,
    attachments: attachments.optional(),
    role: z.enum(["user", "system", "assistant"]).default("user"),
    silent: z.boolean().default(false),
    metadata: jsonObjectSchema.default({}),
    /** What to do while a run is active: wait for it, join it before its next model call, end it, or refuse. */
    when: z.enum(["queue", "steer", "interrupt", "reject"]).default("queue"),
    /** False stores the message and starts nothing. */
    run: z.boolean().default(true),
    limits: limitsSchema.optional(),
  })
  .strict();

/** Body of `POST /api/threads/:id/runs`. */
export const postRunSchema = z
  .object({
    kind: z.literal("continue").default("continue"),
    side: sideSchema.optional(),
    limits: limitsSchema.optional(),
  })
  .strict();

/** Query of the two POST routes that start a run: `wait=true` answers when the run rests. */
export const waitSchema = z.object({ wait: flag.default(false) }).strict();

/** Query of `GET /api/threads/:id/messages`. */
export const listMessagesSchema = z
  .object({
    limit: limit(100, 1000),
    cursor: cursor.optional(),
    order: z.enum(["asc", "desc"]).default("asc"),
    include_silent: flag.default(false),
    max_depth: digits(0, 100).optional(),
    branch: z.string().max(100).optional(),
  })
  .strict();

/** Body of `PATCH /api/threads/:id/messages/:mid`; metadata is merged shallowly. */
export const patchMessageSchema = z
  .object({ content: z.string().optional(), metadata: jsonObjectSchema.optional() })
  .strict()
  .refine((body) => Object.keys(body).length > 0, "name at least one field to change");

/** Query of `GET /api/threads/:id/runs`. */
export const listRunsSchema = z
  .object({ limit: limit(50, 200), cursor: cursor.optional(), order: z.enum(["asc", "desc"]).default("desc") })
  .strict();

/** Query of `GET /api/threads/:id/logs`. */
export const listLogsSchema = z
  .object({
    limit: limit(100, 1000),
    cursor: cursor.optional(),
    order: z.enum(["asc", "desc"]).default("asc"),
    type: logTypeSchema.optional(),
    run_id: z.string().optional(),
  })
  .strict();

/** Body of `POST /api/threads/:id/tools/:name`. */
export const invokeToolSchema = z.object({ args: jsonObjectSchema.default({}) }).strict();

/** Body of `POST /api/threads/:id/stop`. */
export const stopSchema = z.object({ run_id: z.string().optional() }).strict();

/** Body of `POST /api/tickets`: the path a browser is about to open. */
export const ticketSchema = z.object({ path: z.string().startsWith("/api/").max(500) }).strict();

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

export type CreateThread = z.infer<typeof createThreadSchema>;
export type InitialMessage = z.infer<typeof initialMessageSchema>;
export type PatchThread = z.infer<typeof patchThreadSchema>;
export type ListThreads = z.infer<typeof listThreadsSchema>;
export type PostMessage = z.infer<typeof postMessageSchema>;
export type PostRun = z.infer<typeof postRunSchema>;
export type ListMessages = z.infer<typeof listMessagesSchema>;
export type PatchMessage = z.infer<typeof patchMessageSchema>;
export type ListRuns = z.infer<typeof listRunsSchema>;
export type ListLogs = z.infer<typeof listLogsSchema>;
export type Subscribe = z.infer<typeof subscribeSchema>;
