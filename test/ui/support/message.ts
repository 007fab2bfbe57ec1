// A message as a subscriber sees it, made of what a test cares about.

import type { MessageView } from "#client/index.ts";

/** The message; it says its id. */
export function message(id: string, more: Partial<MessageView> = {}): MessageView {
  return {
    id,
    role: "assistant",
    content: id,
    name: null,
    tool_calls: null,
    tool_call_id: null,
    created_at: 1,
    parent_id: null,
    depth: 0,
    silent: false,
    metadata: {},
    parts: [{ type: "text", text: id }],
    position: id,
    branch_id: "main",
    run_id: "run",
    side: null,
    status: "complete",
    stop_reason: null,
    model: null,
    usage: null,
    cost: null,
    result: null,
    attachments: [],
    streaming: false,
    ...more,
  };
}
