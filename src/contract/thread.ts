// A thread: a durable conversation, one Durable Object.

import { z } from "zod";

import { toolCallSchema } from "./content.ts";
import { jsonObjectSchema } from "./json.ts";
import { costSchema, usageSchema } from "./usage-schema.ts";

export const threadStatusSchema = z.enum(["idle", "running", "awaiting_tool_execution", "error"]);
/** The state of a thread. `error` lasts from a failed run until the next run. */
export type ThreadStatus = z.infer<typeof threadStatusSchema>;

/** The call of another thread whose result this thread produces. */
const threadParentSchema = z.object({
  thread_id: z.string(),
  run_id: z.string(),
  tool_call_id: z.string(),
});

/** A call that waits for a client, an approval or a higher limit, or the question of a running call, as a thread and a list show it. */
export const pendingCallSchema = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(["remote", "approval", "limit", "question"]),
  /**
   * Absent if the thread's row has no space for the arguments. The message with the call has them. Of a limit: `{reason, amount, allowed,
   * used}`. Of a question: `{message, schema}`; the answer is an object of the JSON Schema `schema`.
   */
  arguments: toolCallSchema.shape.arguments.optional(),
  /**
   * Id of the call's tool message. For a question: of the call that asks it. For a call of a child thread: of the call that started the
   * child. Absent for a limit.
   */
  message_id: z.string().optional(),
  /** The child thread that made the call, if this thread did not. The call can be answered in either thread. */
  thread_id: z.string().optional(),
  /**
   * Microseconds; the time at which the call began to wait. Absent for a call that an older deployment stored.
   */
  since: z.number().int().optional(),
  /** Whether an approval may change the arguments. */
  editable_arguments: z.literal(true).optional(),
  /** Microseconds; at that time the call ends with an error. Null without a time limit. */
  deadline: z.number().int().nullable(),
});
/** A tool call that waits for a client, an approval or a higher limit. */
export type PendingCall = z.infer<typeof pendingCallSchema>;

export const threadSchema = z.object({
  id: z.string(),
  agent_id: z.string(),
  /** The agent the thread was created with; a handoff changes `agent_id` only. */
  origin_agent_id: z.string(),
  user_id: z.string().nullable(),
  title: z.string().nullable(),
  tags: z.array(z.string()),
  metadata: jsonObjectSchema,
  status: threadStatusSchema,
  created_at: z.number().int(),
  updated_at: z.number().int(),
  message_count: z.number().int().nonnegative(),
  /** Beginning of the last message's text, for lists: at most 300 characters. Absent in lists of older deployments. */
  last_message: z.string().nullable().optional(),
  /** Usage of all runs, including an unfinished run up to its last step. The same holds for `cost`. */
  usage: usageSchema,
  cost: costSchema,
  last_seq: z.number().int().nonnegative(),
  active_run_id: z.string().nullable(),
  /** Calls that wait for a client, an approval or a higher limit. */
  pending_tool_calls: z.array(pendingCallSchema),
  /**
   * MCP servers whose tools a run needed, and to which the thread's owner has not connected. Absent if there are none. `since`:
   * microseconds; the time at which a run needed the server first.
   */
  required_authorizations: z.array(z.object({ server: z.string(), since: z.number().int() })).optional(),
  branch_id: z.string(),
  parent: threadParentSchema.nullable(),
});
/** A thread as it is listed: its state, its last message, and the tokens and cost of its runs. */
export type Thread = z.infer<typeof threadSchema>;
