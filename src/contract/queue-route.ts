// The routes of the queue: the inputs that wait, their order, and how to change them. Rows of the one route table.

import { z } from "zod";

import type { BuiltInRoute } from "./built-in-route.ts";
import { jsonObjectSchema } from "./json.ts";
import { listSchema } from "./list-page.ts";
import { limit } from "./query-field.ts";
import { limitsSchema, runKindSchema } from "./run.ts";
import { messageSchema } from "./thread-message.ts";

/** Maximal number of waiting inputs of a thread. */
export const queueLimit = 100;

/**
 * A waiting input. An input with `steer` joins the active run before its next model request. All others start runs, one after the
 * other; `interrupt` starts its run as soon as the active one has ended.
 */
export const queuedInputSchema = z.object({
  /** Id of the run that the input will start; for `steer` the input's own id. */
  id: z.string(),
  kind: runKindSchema,
  when: z.enum(["queue", "steer", "interrupt"]),
  /** The message as it will be stored; null for a run without one. */
  message: messageSchema.nullable(),
  limits: limitsSchema.nullable(),
  /** Microseconds since epoch. */
  created_at: z.number().int(),
});
/** An input that waits in the queue. Its `id` is the id of the run that it will start. */
export type QueuedInput = z.infer<typeof queuedInputSchema>;

/** Query of `GET /api/threads/:id/queue`. A page may be shorter than `limit`, because its bytes are bounded too. */
const listQueueSchema = z.strictObject({ limit: limit(100, 100), cursor: z.string().max(500).optional() });
export type ListQueue = z.infer<typeof listQueueSchema>;

/** Body of `PATCH /api/threads/:id/queue/:qid`: another text, metadata to merge shallowly, another position counted from 0. */
const patchQueuedSchema = z
  .strictObject({
    content: z.string().optional(),
    metadata: jsonObjectSchema.optional(),
    position: z
      .number()
      .int()
      .min(0)
      .max(queueLimit - 1)
      .optional(),
  })
  .refine((body) => Object.keys(body).length > 0, "name at least one field to change");
export type PatchQueued = z.infer<typeof patchQueuedSchema>;

const mib = 1024 * 1024;

export const queueRoutes = {
  listQueue: {
    method: "GET",
    path: "/api/threads/:id/queue",
    summary: "The inputs that wait, in the order they will be taken in",
    tag: "messages",
    access: "user",
    query: listQueueSchema,
    answers: { 200: listSchema("queue", queuedInputSchema) },
  },
  patchQueued: {
    method: "PATCH",
    path: "/api/threads/:id/queue/:qid",
    summary: "Changes the text, metadata or place of an input that waits",
    tag: "messages",
    access: "user",
    body: patchQueuedSchema,
    bodyLimit: 6 * mib,
    answers: { 200: queuedInputSchema },
  },
  deleteQueued: {
    method: "DELETE",
    path: "/api/threads/:id/queue/:qid",
    summary: "Takes an input out of the queue; its run never begins",
    tag: "messages",
    access: "user",
    answers: { 204: null },
  },
} as const satisfies Record<string, BuiltInRoute>;
