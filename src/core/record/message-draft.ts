// Makes the records of messages: those that a user sends or a definition adds, whose size is limited, and those that a loop writes.

import { refuse } from "#contract/error.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Role } from "#contract/thread-message.ts";
import { jsonBytes } from "#lib/cut-text.ts";

import type { RunPorts } from "../ports/run-ports.ts";
import type { MessageRecord, StoredPart } from "./record.ts";

/** The fields that differ from message to message. Times are microseconds. */
export interface MessageDraft {
  id: string;
  role: Role;
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

/** The record of a message that a loop writes in a step. The caller adds the fields of an answer or a call. */
export function stepMessage(
  { run, scope }: Pick<RunPorts, "run" | "scope">,
  { step, side, depth }: Pick<MessageRecord, "step" | "side" | "depth">,
  draft: Omit<MessageDraft, "branch" | "run_id">,
): MessageRecord {
  const message = messageDraft({ ...draft, branch: run.branch, run_id: run.id });
  return { ...message, parent_id: scope.parent_id, depth, step, side };
}

/** The fields of a message that a strategy adds for a model and that user interfaces do not show. */
export function strategyMark(
  { name }: RunPorts["strategy"],
  phase: string | undefined,
): Pick<MessageRecord, "silent" | "strategy"> {
  return { silent: true, strategy: { name, phase: phase ?? null } };
}

/**
 * The maximum number of UTF-8 bytes of the parts of a message as JSON. Files are references when the message is checked (architecture §6).
 */
export const longestMessage = 1024 * 1024;

/** Refuses a message whose row would be too large. */
export function checkMessageSize(
  parts: readonly StoredPart[],
  { subject, field } = { subject: "The message", field: "content" },
): void {
  const [bytes, limit] = [jsonBytes(parts), longestMessage];
  if (bytes <= limit) return;
  throw refuse("too_large", `${subject} has ${bytes} bytes; at most ${limit} are taken.`, { field, limit });
}
