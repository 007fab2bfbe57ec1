// The routes of a thread's messages, as rows of the one route table: post, list, read, change and delete.

import { z } from "zod";

import type { BuiltInRoute } from "./built-in-route.ts";
import { inputContentSchema } from "./content.ts";
import { inputAttachmentsSchema } from "./input-attachment.ts";
import { jsonObjectSchema } from "./json.ts";
import { cursorField, digits, flag, limit, waitSchema } from "./query-field.ts";
import { limitsSchema, runSchema } from "./run.ts";
import { messageSchema } from "./thread-message.ts";

const mib = 1024 * 1024;

/** Body of `POST /api/threads/:id/messages`. */
export const postMessageSchema = z
  .object({
    content: inputContentSchema,
    attachments: inputAttachmentsSchema.optional(),
    role: z.enum(["user", "system", "assistant"]).default("user"),
    silent: z.boolean().default(false),
    metadata: jsonObjectSchema.default({}),
    /** What to do while a run is active: wait for it, join it before its next model call, end it, or refuse. */
    when: z.enum(["queue", "steer", "interrupt", "reject"]).default("queue"),
    /** If false, the message is stored and starts no run. */
    run: z.boolean().default(true),
    limits: limitsSchema.optional(),
    /** JSON Schema of an object: the run's answer is JSON that matches it. Takes precedence over the prompt's `structure`. */
    structure: jsonObjectSchema.optional(),
  })
  .strict();
export type PostMessage = z.infer<typeof postMessageSchema>;

/** Response of `POST` of a message. `run` is null if the message starts none. */
export const admittedMessageSchema = z.object({ message: messageSchema.nullable(), run: runSchema.nullable() });

/** Query of `GET /api/threads/:id/messages`. */
export const listMessagesSchema = z
  .object({
    limit: limit(100, 1000),
    cursor: cursorField.optional(),
    order: z.enum(["asc", "desc"]).default("asc"),
    include_silent: flag.default(false),
    max_depth: digits(0, 100).optional(),
    branch: z.string().max(100).optional(),
  })
  .strict();
export type ListMessages = z.infer<typeof listMessagesSchema>;

const messagePageSchema = z.object({
  messages: z.array(messageSchema),
  total: z.number().int().nonnegative().nullable(),
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
});

/** Body of `PATCH /api/threads/:id/messages/:mid`; metadata is merged shallowly. */
export const patchMessageSchema = z
  .object({ content: z.string().optional(), metadata: jsonObjectSchema.optional() })
  .strict()
  .refine((body) => Object.keys(body).length > 0, "name at least one field to change");
export type PatchMessage = z.infer<typeof patchMessageSchema>;

export const messageRoutes = {
  postMessage: {
    method: "POST",
    path: "/api/threads/:id/messages",
    summary: "Admits a message durably and, unless `run` is false, starts a run with it",
    tag: "messages",
    access: "user",
    query: waitSchema,
    body: postMessageSchema,
    bodyLimit: 6 * mib,
    keyed: true,
    answers: { 202: admittedMessageSchema, 200: admittedMessageSchema },
    stream: "negotiated",
  },
  listMessages: {
    method: "GET",
    path: "/api/threads/:id/messages",
    summary: "The messages of a thread",
    tag: "messages",
    access: "user",
    query: listMessagesSchema,
    answers: { 200: messagePageSchema },
  },
  getMessage: {
    method: "GET",
    path: "/api/threads/:id/messages/:mid",
    summary: "One message",
    tag: "messages",
    access: "user",
    answers: { 200: messageSchema },
  },
  patchMessage: {
    method: "PATCH",
    path: "/api/threads/:id/messages/:mid",
    summary: "Changes a message's text, merges its metadata",
    tag: "messages",
    access: "user",
    body: patchMessageSchema,
    bodyLimit: 6 * mib,
    answers: { 200: messageSchema },
  },
  deleteMessage: {
    method: "DELETE",
    path: "/api/threads/:id/messages/:mid",
    summary: "Deletes a message, and the results of the calls it asked for",
    tag: "messages",
    access: "user",
    answers: { 204: null },
  },
} as const satisfies Record<string, BuiltInRoute>;
