// A message on the wire: the fields of Standard Agents and additional ones. `parts` is authoritative; `content` and `tool_calls` are
// derived from it. `position` orders the messages of a branch; positions are compared as strings.

import { z } from "zod";

import { attachmentRefSchema } from "./attachment.ts";
import { toolResultSchema } from "./call-result.ts";
import { partSchema } from "./content.ts";
import { jsonObjectSchema } from "./json.ts";
import { stopReasonSchema, type StopReason } from "./stop-reason.ts";
import { costSchema, usageSchema } from "./usage-schema.ts";

/** The author's role. `extension` messages are an application's own records: stored in order, never sent to a model. */
export const roleSchema = z.enum(["system", "user", "assistant", "tool", "extension"]);
export type Role = z.infer<typeof roleSchema>;

export { stopReasonSchema, type StopReason };

/** `started`: a tool message whose call is not finished; `complete`: the message does not change any more. */
export const messageStatusSchema = z.enum(["started", "complete"]);

export const sideSchema = z.enum(["a", "b"]);
export type Side = z.infer<typeof sideSchema>;

/** Microseconds since epoch. */
const micros = z.number().int();

export const messageSchema = z.object({
  id: z.string(),
  role: roleSchema,
  content: z.string().nullable(),
  name: z.string().nullable(),
  tool_calls: z.string().nullable(),
  tool_call_id: z.string().nullable(),
  created_at: micros,
  parent_id: z.string().nullable(),
  depth: z.number().int().nonnegative(),
  silent: z.boolean(),
  metadata: jsonObjectSchema,
  parts: z.array(partSchema),
  position: z.string(),
  branch_id: z.string(),
  run_id: z.string().nullable(),
  side: sideSchema.nullable(),
  status: messageStatusSchema,
  stop_reason: stopReasonSchema.nullable(),
  model: z.string().nullable(),
  usage: usageSchema.nullable(),
  cost: costSchema,
  result: toolResultSchema.nullable(),
  /** The decision about a call that needed approval; `args` if the arguments were changed. */
  approval: z
    .object({
      approved: z.boolean(),
      by: z.string().nullable(),
      at: micros,
      args: jsonObjectSchema.optional(),
      reason: z.string().optional(),
      /** Set if the approval is from a user's import. Such an approval is not proven, so `by` is null. */
      imported: z.literal(true).optional(),
    })
    .optional(),
  /** Only on a silent message of a strategy: the strategy, and the phase of the step that the message belongs to. */
  strategy: z.object({ name: z.string(), phase: z.string().nullable() }).optional(),
  /** User id of the author, if it is not the thread's own user; null for an administrator without a user id. Set by the server. */
  author: z.string().nullable().optional(),
  /**
   * The time at which the text was last changed. Answers with an earlier `created_at` were written for an earlier text. Absent if the text is
   * as it was when the message was added.
   */
  edited_at: micros.optional(),
  /**
   * Only on the result of a call of a branch that took the result of an equal call of another branch: the id of that call's message. The tool
   * did not run again.
   */
  reused_from: z.string().optional(),
  /** Files of the thread that the message or its result refers to, derived from `parts` and `result`. */
  attachments: z.array(attachmentRefSchema),
});
/**
 * A stored message of a thread. `content` and `tool_calls` are its text and calls as Standard Agents spells them; `parts` are the same
 * content, parsed and in order.
 */
export type Message = z.infer<typeof messageSchema>;
