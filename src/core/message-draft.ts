// Makes the record of a message that is not a model's answer: a user's message, or one that a definition adds.

import type { JsonObject } from "#contract/json.ts";
import type { Role } from "#contract/thread-message.ts";

import type { MessageRecord, StoredPart } from "./record.ts";

/** The fields that differ from message to message. Times are microseconds. */
export interface MessageDraft {
  id: string;
  role: Exclude<Role, "tool">;
  parts: StoredPart[];
  branch: string;
  at: number;
  run_id?: string | null;
  silent?: boolean | undefined;
  metadata?: JsonObject | undefined;
}

/** The record. Its position is its own id; the caller sets another one if the message waits in a queue. */
export function messageDraft(draft: MessageDraft): MessageRecord {
  return {
    id: draft.id,
    branch: draft.branch,
    position: draft.id,
    role: draft.role,
    parts: draft.parts,
    name: null,
    tool_call_id: null,
    parent_id: null,
    depth: 0,
    silent: draft.silent ?? false,
    metadata: draft.metadata ?? {},
    run_id: draft.run_id ?? null,
    step: null,
    side: null,
    status: "complete",
    stop_reason: null,
    model: null,
    usage: null,
    cost: null,
    result: null,
    created_at: draft.at,
    updated_at: draft.at,
    events: [],
  };
}
