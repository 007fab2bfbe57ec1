// Threads and runs as the API gives them.

import type { Run } from "#contract/run.ts";
import type { Thread } from "#contract/thread.ts";
import { zeroUsage } from "#contract/usage.ts";

export const threadId = "3f0a0000-0000-4000-8000-000000000001";

export function threadOf(changes: Partial<Thread> = {}): Thread {
  return {
    id: threadId,
    agent_id: "assistant",
    origin_agent_id: "assistant",
    user_id: null,
    title: null,
    tags: [],
    metadata: {},
    status: "idle",
    created_at: 1,
    updated_at: 1,
    message_count: 0,
    usage: zeroUsage,
    cost: 0,
    last_seq: 0,
    active_run_id: null,
    pending_tool_calls: [],
    branch_id: "main",
    parent: null,
    ...changes,
  };
}

export function runOf(changes: Partial<Run> = {}): Run {
  return {
    id: "run",
    status: "completed",
    kind: "message",
    agent_id: "assistant",
    created_at: 1,
    started_at: 1,
    ended_at: 1,
    first_seq: 1,
    steps: 1,
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
    ...changes,
  };
}
