// Converts stored records to their form on the wire.

import type { Part } from "#contract/content.ts";
import type { Log } from "#contract/log-entry.ts";
import type { Run } from "#contract/run.ts";
import type { Message } from "#contract/thread-message.ts";
import type { PendingCall, Thread } from "#contract/thread.ts";
import { addCost, addUsage, zeroUsage } from "#contract/usage.ts";

import { attachmentsOf } from "./attachment-view.ts";
import type { LogRecord, MessageCounts, MessageRecord, StoredPart, ThreadRecord } from "./record.ts";
import type { RunRecord } from "./run-record.ts";

/** The text of a message: its text parts, joined; null if it has none. */
export function textOf(parts: readonly StoredPart[]): string | null {
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return text === "" && !parts.some((part) => part.type === "text") ? null : text;
}

/** The tool calls in the form of Standard Agents, with their arguments as JSON text. */
export function functionCalls(parts: readonly StoredPart[]) {
  return parts.flatMap((part) =>
    part.type === "tool_call"
      ? [
          {
            id: part.id,
            type: "function" as const,
            function: {
              name: part.name,
              arguments: typeof part.arguments === "string" ? part.arguments : JSON.stringify(part.arguments),
            },
          },
        ]
      : [],
  );
}

/** The tool calls as JSON text (Standard Agents, Message.tool_calls); null if there are none. */
export function toolCallsJson(parts: readonly StoredPart[]): string | null {
  const calls = functionCalls(parts);
  return calls.length === 0 ? null : JSON.stringify(calls);
}

function publicPart(part: StoredPart): Part {
  const { provider_data: _, ...shown } = part;
  return shown;
}

/** A message on the wire. */
export function toMessage(record: MessageRecord): Message {
  const message: Omit<Message, "attachments"> = {
    id: record.id,
    role: record.role,
    content: textOf(record.parts),
    name: record.name,
    tool_calls: toolCallsJson(record.parts),
    tool_call_id: record.tool_call_id,
    created_at: record.created_at,
    parent_id: record.parent_id,
    depth: record.depth,
    silent: record.silent,
    metadata: record.metadata,
    parts: record.parts.map(publicPart),
    position: record.position,
    branch_id: record.branch,
    run_id: record.run_id,
    side: record.side,
    status: record.status,
    stop_reason: record.stop_reason,
    model: record.model,
    usage: record.usage,
    cost: record.cost,
    result: record.result,
  };
  for (const field of ["strategy", "author", "approval", "edited_at", "reused_from"] as const) {
    // Each field has the same type in the record, which TypeScript does not infer for a union of fields.
    if (record[field] !== undefined) message[field] = record[field] as never;
  }
  return { ...message, attachments: attachmentsOf(record) };
}

/** A run on the wire. */
export function toRun(record: RunRecord): Run {
  return {
    id: record.id,
    status: record.status,
    kind: record.kind,
    agent_id: record.agent_id,
    created_at: record.created_at,
    started_at: record.started_at,
    ended_at: record.ended_at,
    first_seq: record.events.find(({ type }) => type === "run_start")?.seq ?? null,
    steps: record.steps,
    usage: record.usage,
    cost: record.cost,
    models: Object.keys(record.spent),
    text: record.text,
    reason: record.reason,
    outcome: record.outcome,
    ...(record.data === undefined ? {} : { data: record.data }),
    error: record.error,
    message_ids: record.message_ids,
    parent_run_id: record.parent_run_id,
    branch_id: record.branch,
    version: record.version,
  };
}

/** A log row on the wire. */
export function toLog(record: LogRecord): Log {
  const { id, type, run_id, parent_id, created_at, data } = record;
  return { id, type, run_id, parent_id, created_at, data };
}

/** The number of messages that are not silent, at every depth. */
function shownMessages(counts: MessageCounts): number {
  return Object.values(counts).reduce((sum, [shown]) => sum + shown, 0);
}

/**
 * A thread on the wire, in lists and in the feed of threads. A thread whose running call asks a question is listed as waiting, because a
 * person has to act.
 */
export function toListedThread(record: ThreadRecord): Thread {
  const isAsking = (record.pending ?? []).some(isOwnQuestion);
  return { ...toThread(record), ...(isAsking ? { status: "awaiting_tool_execution" as const } : {}) };
}

/** Whether a pending call is the question of a running call of the thread itself, and not of a child thread. */
export function isOwnQuestion({ kind, thread_id }: Pick<PendingCall, "kind" | "thread_id">): boolean {
  return kind === "question" && thread_id === undefined;
}

/** A thread on the wire. */
export function toThread(record: ThreadRecord): Thread {
  const active = record.active_totals ?? nothingUsed;
  return {
    id: record.id,
    agent_id: record.agent_id,
    origin_agent_id: record.origin_agent_id,
    user_id: record.user_id,
    title: record.title,
    tags: record.tags,
    metadata: record.metadata,
    status: record.status,
    created_at: record.created_at,
    updated_at: record.updated_at,
    message_count: shownMessages(record.counts),
    last_message: record.last_message,
    usage: addUsage(record.usage, active.usage),
    cost: addCost(record.cost, active.cost),
    last_seq: record.last_seq,
    active_run_id: record.active_run_id,
    pending_tool_calls: record.pending ?? [],
    ...requiredAuthorizations(record),
    branch_id: record.branch,
    parent: parentView(record.parent),
  };
}

function requiredAuthorizations({ authorizations = [] }: ThreadRecord): Pick<Thread, "required_authorizations"> {
  if (authorizations.length === 0) return {};
  return { required_authorizations: authorizations.map(({ server, since }) => ({ server, since })) };
}

const nothingUsed = { usage: zeroUsage, cost: 0 };

/** The parent on the wire, without the fields that only the two threads use. */
function parentView(parent: ThreadRecord["parent"]): Thread["parent"] {
  if (parent === null) return null;
  const { thread_id, run_id, tool_call_id } = parent;
  return { thread_id, run_id, tool_call_id };
}
