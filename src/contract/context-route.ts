// The route of a thread's context: what the next request to its model contains. A row of the one route table.

import { z } from "zod";

import type { BuiltInRoute } from "./built-in-route.ts";

const tokens = z.number().int().nonnegative();

/** What the next request of a thread contains so far, with estimated tokens. Queued inputs are not included. */
const threadContextSchema = z.object({
  prompt: z.string(),
  model: z.string(),
  /** Tokens of the model's window; null if it is unknown. */
  window: tokens.nullable(),
  /** The maximum number of tokens of a request. A request that exceeds them is compacted. Null: its size is not limited. */
  budget: tokens.nullable(),
  /** Tokens of the whole request. */
  tokens,
  system: tokens,
  tools: z.array(z.object({ name: z.string(), tokens })),
  messages: z.array(
    z.object({
      /** Id of the stored message; null for one that is not stored, such as the line in place of dropped messages. */
      id: z.string().nullable(),
      role: z.enum(["user", "assistant", "tool", "system"]),
      /**
       * `marker`: the line that is sent in place of dropped messages and states their number. `summary`: that line with a summary of them.
       * `message`: every other message.
       */
      kind: z.enum(["message", "marker", "summary"]),
      tokens,
      /** The part of `tokens` that the message's files need. */
      file_tokens: tokens,
      /** Whether the message is sent with less content than is stored. */
      shortened: z.boolean(),
    }),
  ),
  /** The number of messages of the conversation that are not sent any more. */
  dropped: z.number().int().nonnegative(),
});
/** What the next request of a thread contains so far, with estimated tokens. */
export type ThreadContext = z.infer<typeof threadContextSchema>;

/** Query of `GET /api/threads/:id/context`. */
const contextQuerySchema = z.object({ branch: z.string().max(100).optional() }).strict();
export type ContextQuery = z.infer<typeof contextQuerySchema>;

export const contextRoutes = {
  threadContext: {
    method: "GET",
    path: "/api/threads/:id/context",
    summary: "What the next request to the model contains, with estimated tokens",
    tag: "threads",
    access: "user",
    query: contextQuerySchema,
    answers: { 200: threadContextSchema },
  },
} as const satisfies Record<string, BuiltInRoute>;
