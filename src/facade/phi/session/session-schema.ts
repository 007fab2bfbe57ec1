// The forms of a stored session and of the events in it. Fields that are not known are kept; an event or a status of another name is refused.

import { z } from "zod";

import { messageSchema } from "../saved-messages.ts";

const text = z.string();
const count = z.number().int().nonnegative();
/** An RFC 3339 time. */
const time = z.string().refine((value) => !Number.isNaN(Date.parse(value)), "has to be an RFC 3339 time");
const json = z.unknown().refine((value) => value !== undefined, "is missing");

const amount = z.number().nonnegative();
const usage = z.looseObject({
  input: amount,
  output: amount,
  cache_read: amount,
  cache_write: amount,
  total_tokens: amount,
});

const kind = z.union([
  z.literal("Default"),
  z.looseObject({ Rerun: z.looseObject({ tag: text }) }),
  z.looseObject({ Branch: z.looseObject({ tag: text }) }),
]);

const delta = z.union(
  ["Text", "Thinking", "ToolCallDelta"].map((name) => z.looseObject({ [name]: z.looseObject({ delta: text }) })),
);

const content = z.array(z.looseObject({ type: text }));
const result = z.looseObject({ content, details: json, child_loop_id: text.nullish() });

const loop = { loop_id: text };
const call = { ...loop, tool_call_id: text, tool_name: text };
const message = { ...loop, message: messageSchema };

const eventSchema = z.discriminatedUnion("type", [
  z.looseObject({
    ...loop,
    type: z.literal("AgentStart"),
    agent_id: text,
    session_id: text,
    parent_loop_id: text.nullable(),
    continuation_kind: kind.nullable(),
    timestamp: time,
    metadata: json,
  }),
  z.looseObject({
    ...loop,
    type: z.literal("AgentEnd"),
    messages: z.array(messageSchema),
    usage,
    timestamp: time,
    rejection: text.nullable(),
  }),
  z.looseObject({
    ...loop,
    type: z.literal("TurnStart"),
    turn_index: count,
    timestamp: time,
    triggered_by: z.enum(["User", "SubAgent", "Continuation", "Branch"]),
  }),
  z.looseObject({
    ...message,
    type: z.literal("TurnEnd"),
    usage,
    timestamp: time,
    tool_results: z.array(messageSchema),
  }),
  z.looseObject({ ...message, type: z.literal("MessageStart") }),
  z.looseObject({ ...message, type: z.literal("MessageUpdate"), delta }),
  z.looseObject({ ...message, type: z.literal("MessageEnd") }),
  z.looseObject({ ...call, type: z.literal("ToolExecutionStart"), args: json }),
  z.looseObject({ ...call, type: z.literal("ToolExecutionUpdate"), partial_result: result }),
  z.looseObject({
    ...call,
    type: z.literal("ToolExecutionEnd"),
    result,
    is_error: z.boolean(),
    child_loop_id: text.nullable(),
  }),
  z.looseObject({ ...call, type: z.literal("ProgressMessage"), text }),
  z.looseObject({ ...loop, type: z.literal("InputRejected"), reason: text }),
]);

const configSchema = z.looseObject({
  model: text,
  provider: text,
  config_id: text.nullable(),
  name: text.optional(),
  api: text.optional(),
  base_url: text.optional(),
  reasoning: z.boolean().optional(),
  context_window: amount.optional(),
  max_tokens: amount.optional(),
  thinking_level: text.optional(),
  temperature: amount.optional(),
});

const recordSchema = z.looseObject({
  loop_id: text,
  session_id: text,
  agent_id: text,
  parent_loop_id: text.nullable(),
  continuation_kind: kind.nullable(),
  started_at: time,
  ended_at: time.nullable(),
  status: z.enum(["Pending", "Running", "Completed", "Rejected", "Aborted"]),
  rejection: text.nullable(),
  config: configSchema.nullable(),
  messages: z.array(messageSchema),
  usage,
  metadata: json,
  events: z.array(z.looseObject({ sequence: count, event: eventSchema })),
  children_loop_ids: z.array(text),
  child_loop_refs: z.array(
    z.looseObject({ tool_call_id: text, tool_name: text, child_loop_id: text, child_session_id: text }),
  ),
  parallel_group: z
    .looseObject({
      all_loop_ids: z.array(text),
      selected_loop_id: text,
      selected_config_index: count,
      evaluation_usage: usage,
      is_selected: z.boolean(),
    })
    .nullable(),
});

const formation = z.union([
  z.looseObject({ Explicit: z.looseObject({ timestamp: time }) }),
  z.looseObject({ FirstLoop: z.looseObject({ timestamp: time }) }),
  z.looseObject({
    InactivityTimeout: z.looseObject({
      threshold_secs: amount,
      previous_session_id: text.nullable(),
      timestamp: time,
    }),
  }),
]);

/** A session. */
export const sessionSchema = z.looseObject({
  session_id: text,
  agent_id: text,
  created_at: time,
  last_active_at: time,
  formation,
  parent_spawn_ref: z
    .looseObject({ parent_session_id: text, parent_loop_id: text, tool_call_id: text, tool_name: text })
    .nullable(),
  loops: z.array(recordSchema),
});
