// Threads, messages and runs as the API returns them, with default values for the fields that a test does not set.

import type { Run } from "#contract/run.ts";
import type { Message } from "#contract/thread-message.ts";
import type { Thread } from "#contract/thread.ts";
import { zeroUsage } from "#contract/usage.ts";

const at = 1_700_000_000_000_000;

/** An idle thread. */
export function threadRecord(fields: Partial<Thread>): Thread {
  return {
    id: "",
    agent_id: "helper",
    origin_agent_id: "helper",
    user_id: null,
    title: null,
    tags: [],
    metadata: {},
    status: "idle",
    created_at: at,
    updated_at: at,
    message_count: 0,
    usage: zeroUsage,
    cost: 0,
    last_seq: 0,
    active_run_id: null,
    pending_tool_calls: [],
    branch_id: "main",
    parent: null,
    ...fields,
  };
}

/** An empty message of the user. */
export function messageRecord(fields: Partial<Message>): Message {
  return {
    id: "",
    role: "user",
    content: null,
    name: null,
    tool_calls: null,
    tool_call_id: null,
    created_at: at,
    parent_id: null,
    depth: 0,
    silent: false,
    metadata: {},
    parts: [],
    position: "a",
    branch_id: "main",
    run_id: null,
    side: null,
    status: "complete",
    stop_reason: null,
    model: null,
    usage: null,
    cost: null,
    result: null,
    attachments: [],
    ...fields,
  };
}

/** A queued run. */
export function runRecord(fields: Partial<Run>): Run {
  return {
    id: "",
    status: "queued",
    kind: "message",
    agent_id: "helper",
    created_at: at,
    started_at: null,
    ended_at: null,
    first_seq: null,
    steps: 0,
    usage: zeroUsage,
    cost: 0,
    models: [],
    text: null,
    reason: null,
    outcome: null,
    error: null,
    message_ids: [],
    parent_run_id: null,
    branch_id: "main",
    version: null,
    ...fields,
  };
}
