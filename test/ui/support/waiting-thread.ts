// A listed thread with one call that waits.

import { zeroUsage } from "threadhold/client";
import type { PendingCall, Thread } from "threadhold/client";

/** A thread whose id and call have a name, and whose call waits since a time. */
export function threadWith(name: string, since: number, more: Partial<PendingCall> = {}): Thread {
  const call: PendingCall = {
    id: name,
    name: "place_order",
    kind: "approval",
    arguments: {},
    deadline: null,
    since,
    ...more,
  };
  return {
    id: `thread-${name}`,
    agent_id: "purchaser",
    origin_agent_id: "purchaser",
    user_id: null,
    title: name,
    tags: [],
    metadata: {},
    status: "awaiting_tool_execution",
    created_at: since,
    updated_at: since,
    message_count: 3,
    usage: zeroUsage,
    cost: 0,
    last_seq: 9,
    active_run_id: "run",
    pending_tool_calls: [call],
    branch_id: "main",
    parent: null,
  };
}
