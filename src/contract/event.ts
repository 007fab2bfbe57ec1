// The types of events that a subscriber can receive. `seq` rises within a thread, and a number is never used twice, even after a crash.
// Deltas have an `offset`, so that applying one twice changes nothing.

import { z } from "zod";

import { toolResultSchema } from "./call-result.ts";
import { providerToolPartSchema, toolCallSchema } from "./content.ts";
import { jsonObjectSchema, jsonSchema } from "./json.ts";
import { runErrorSchema, runKindSchema, runStatusSchema, runTotalsSchema } from "./run.ts";
import { fileRecordSchema } from "./stored-file.ts";
import { messageSchema, roleSchema, sideSchema, stopReasonSchema } from "./thread-message.ts";
import { pendingCallSchema, threadSchema } from "./thread.ts";
import { costSchema, usageSchema } from "./usage-schema.ts";

/** 0 only on a snapshot of a thread that has emitted no event yet. */
const seqSchema = z.number().int().nonnegative();

const base = {
  seq: seqSchema,
  thread_id: z.string(),
  /** Microseconds since epoch. */
  at: z.number().int(),
  run_id: z.string().optional(),
  step: z.number().int().positive().optional(),
  message_id: z.string().optional(),
  side: sideSchema.optional(),
  depth: z.number().int().nonnegative().optional(),
  /** Id of the tool message of the call that a nested loop belongs to. */
  parent_id: z.string().optional(),
  /** Number of the first of the events that were merged into this one. */
  from_seq: seqSchema.optional(),
  /** Set if the message is hidden from user interfaces. Subscriptions omit such events unless they set `include_silent`. */
  silent: z.literal(true).optional(),
  /** `seq` of the frame before this one on the same subscription; set when a frame is sent. */
  prev: z.number().int().nonnegative().optional(),
};

function event<T extends string, F extends z.ZodRawShape>(type: T, fields: F) {
  return z.object({ ...base, type: z.literal(type), ...fields });
}

const index = z.number().int().nonnegative();
/** UTF-16 units of the block before this delta. */
const offset = z.number().int().nonnegative();
const delta = z.string();

const runTriggerSchema = z.enum(["user", "continuation", "branch", "sub_agent", "queue", "recovery"]);

/** A call that waits for a client, an approval or a higher limit. */
export const awaitedCallSchema = pendingCallSchema.extend({
  /** Absent if the call is sent again and its arguments are too large. The message with the call has the arguments. */
  arguments: toolCallSchema.shape.arguments.optional(),
});
/** A call that waits for a client, an approval or a higher limit, with its arguments. */
export type AwaitedCall = z.infer<typeof awaitedCallSchema>;

/** A step of a plan that a strategy made. */
export const planStepSchema = z.object({
  id: z.string(),
  description: z.string(),
  /** The tool that the step uses, if the plan names one. */
  tool: z.string().exactOptional(),
  /** The ids of the steps that have to be completed before this one. */
  dependsOn: z.array(z.string()),
  status: z.enum(["pending", "in_progress", "completed", "failed"]),
});
/** A step of a plan that a strategy made. */
export type PlanStep = z.infer<typeof planStepSchema>;

/** Shape of every event but the snapshot, one object per type. */
const plainEventSchema = z.discriminatedUnion("type", [
  event("run_start", {
    agent_id: z.string(),
    kind: runKindSchema,
    trigger: runTriggerSchema,
    parent_run_id: z.string().nullable(),
  }),
  event("run_end", {
    status: runStatusSchema,
    reason: z.string().nullable(),
    outcome: jsonSchema,
    /** The structured answer, as in the run's `data`. */
    data: jsonSchema.exactOptional(),
    usage: usageSchema,
    cost: costSchema,
    message_ids: z.array(z.string()),
    error: runErrorSchema.nullable(),
  }),
  event("input_rejected", { reason: z.string() }),
  event("awaiting_tool_execution", {
    tool_calls: z.array(awaitedCallSchema),
    /** The run's totals at this event. Absent in events of older deployments. */
    totals: runTotalsSchema.optional(),
  }),
  /** A running call asks a person a question, or a question has ended. The event contains all open questions, which are calls of kind `question`. */
  event("questions_changed", { tool_calls: z.array(awaitedCallSchema) }),
  /**
   * A step or a call needs the tools of an MCP server to which the thread's owner has not connected. Emitted once for a server in a run,
   * and the run continues. The following `thread_updated` lists the server in `required_authorizations`.
   */
  event("authorization_required", { server: z.string() }),
  event("step_start", {
    model: z.string(),
    attempt: z.number().int().positive(),
    /** The purpose of the step in its strategy, such as `reason`. Absent for a step of a plain loop. */
    phase: z.string().optional(),
  }),
  event("step_end", {
    usage: usageSchema,
    stop_reason: stopReasonSchema.nullable(),
    cost: costSchema,
    /** The run's totals including this step. Absent in events of older deployments. */
    totals: runTotalsSchema.optional(),
  }),
  /** A step of the phase `reason` has ended. `message_id` is the id of the silent message with its answer. */
  event("reasoning", { strategy: z.string(), text: z.string() }),
  /** A strategy made a plan, or the status of one of its steps changed. The event contains the whole plan. */
  event("plan", { strategy: z.string(), steps: z.array(planStepSchema) }),
  event("turn_end", { reason: z.string(), outcome: jsonSchema.optional() }),
  event("message_start", { role: roleSchema, position: z.string() }),
  event("text_start", { index }),
  event("text_delta", { index, offset, delta }),
  event("text_end", { index, text: z.string() }),
  event("thinking_start", { index }),
  event("thinking_delta", { index, offset, delta }),
  event("thinking_end", { index, thinking: z.string() }),
  event("toolcall_start", {
    index,
    tool_call: z.object({ id: z.string(), name: z.string() }),
  }),
  event("toolcall_delta", { index, offset, delta }),
  event("toolcall_end", { index, tool_call: toolCallSchema }),
  /** The provider of the model executes a tool itself. The part has no output. */
  event("provider_tool_start", { index, part: providerToolPartSchema }),
  event("provider_tool_end", { index, part: providerToolPartSchema }),
  event("message_end", { message: messageSchema }),
  event("message_retracted", { reason: z.enum(["recovery", "retry", "fallback"]) }),
  event("message_updated", { message: messageSchema }),
  event("message_deleted", { message: messageSchema }),
  event("tool_execution_start", {
    tool_call_id: z.string(),
    tool_name: z.string(),
    args: jsonSchema,
  }),
  event("tool_execution_delta", {
    tool_call_id: z.string(),
    tool_name: z.string(),
    offset: offset.optional(),
    delta: delta.optional(),
    progress: jsonSchema.optional(),
  }),
  event("tool_execution_end", {
    tool_call_id: z.string(),
    tool_name: z.string(),
    result: toolResultSchema,
    is_error: z.boolean(),
    duration_ms: z.number().nonnegative(),
    /** The message of the equal call of another branch whose result the call took. Absent: the tool ran. */
    reused_from: z.string().optional(),
  }),
  event("agent_handoff", { from: z.string(), to: z.string(), tool_call_id: z.string() }),
  event("subagent_start", {
    /**
     * Id of the child thread, of the tool message of a sub-prompt's call, or of an execution of a model or an agent inside of a tool's
     * call.
     */
    subagent_id: z.string(),
    /** Name of the agent, prompt or model. For an agent without a name, in a tool's call, the id of the agent. */
    subagent_type: z.string(),
    parent_tool_call_id: z.string(),
    /** The input of the sub-agent. */
    prompt: z.string(),
    child_thread_id: z.string().optional(),
  }),
  /**
   * An event of a child thread, or of an execution inside of a tool's call. Sent only while the parent has subscribers, and not stored: the
   * child's own events are the record, and for an execution the event `subagent_end`.
   */
  event("subagent_event", { subagent_id: z.string(), parent_tool_call_id: z.string(), event: jsonObjectSchema }),
  event("subagent_end", {
    subagent_id: z.string(),
    subagent_type: z.string(),
    parent_tool_call_id: z.string(),
    success: z.boolean(),
    result: z.string().optional(),
    error: z.string().optional(),
    usage: usageSchema,
    cost: costSchema,
    /** The number of the sub-agent's tool calls. */
    tool_executions: z.number().int().nonnegative(),
    child_thread_id: z.string().optional(),
  }),
  event("model_retry", {
    attempt: z.number().int().positive(),
    max: z.number().int(),
    delay_ms: z.number().nonnegative(),
    error: runErrorSchema,
  }),
  event("model_fallback", { from: z.string(), to: z.string(), error: runErrorSchema }),
  /** The conversation in a request is compacted. `tokens`: the size of the request before the compaction. `budget`: its maximal size. */
  event("compaction_start", {
    /** `overflow`: a model refused the request as too large. `files`: the request had too many files. */
    reason: z.enum(["budget", "overflow", "files"]),
    tokens: z.number().int().nonnegative(),
    budget: z.number().int().nonnegative(),
  }),
  event("compaction_end", {
    /**
     * The most severe reduction. `files`: files are not sent. `tools`: tool results are shortened. `turns`: old turns are one line each.
     * `drop`: old messages are dropped. `cut`: texts of the newest messages are cut. `summary`: a summary replaces old messages.
     */
    level: z.enum(["files", "tools", "turns", "drop", "cut", "summary"]),
    tokens: z.number().int().nonnegative(),
    /** The number of messages of the conversation that are not sent any more. */
    dropped: z.number().int().nonnegative(),
  }),
  /**
   * The thread is on another branch. A reader keeps the messages with positions up to `after`, and adds `messages`. If there are more
   * messages than an event contains, `after` is empty, and `messages` are the newest ones.
   */
  event("branch_changed", {
    branch_id: z.string(),
    after: z.string(),
    messages: z.array(messageSchema),
    thread: threadSchema,
  }),
  event("queue_changed", { queued: z.array(z.string()) }),
  event("file_changed", {
    path: z.string(),
    change: z.enum(["written", "deleted"]),
    /** Null if the file was deleted. */
    file: fileRecordSchema.nullable(),
  }),
  event("thread_updated", { thread: threadSchema }),
  event("custom", { name: z.string(), data: jsonSchema }),
  event("error", { code: z.string(), message: z.string() }),
]);

/** The state of a thread. The first event of a subscription without `after`, or with a number in `after` that the thread never sent. */
const snapshotSchema = event("snapshot", {
  thread: threadSchema,
  messages: z.array(messageSchema),
  /** The events of unfinished messages and calls up to now. */
  partial: z.array(plainEventSchema),
});

/** Shape of every event. */
export const eventSchema = z.discriminatedUnion("type", [plainEventSchema, snapshotSchema]);

/** Any event that a snapshot may contain. */
export type PlainEvent = z.infer<typeof plainEventSchema>;

/** Any event. */
export type ThreadEvent = PlainEvent | z.infer<typeof snapshotSchema>;

/** The `type` of an event. */
export type EventType = ThreadEvent["type"];

/** One kind of event. */
export type EventOf<T extends EventType> = Extract<ThreadEvent, { type: T }>;

type Unnumbered<E> = E extends ThreadEvent ? Omit<E, "seq" | "thread_id" | "at" | "prev"> : never;

/** An event before the thread has set its number and time. */
export type EventDraft = Unnumbered<ThreadEvent>;

/** Every type, for filters and tables. */
export const eventTypes: readonly EventType[] = [
  ...plainEventSchema.options.map((option) => option.shape.type.value),
  "snapshot",
];

/**
 * The SSE `event:` name of an event type. EventSource uses the name `error` for its own events, so the type `error` becomes `thread_error`.
 */
export function sseEventName(type: string): string {
  return type === "error" ? "thread_error" : type;
}
