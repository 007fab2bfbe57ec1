// Resumes an earlier conversation. If it ends with open calls of remote tools, it waits for them again; otherwise it is idle.

import type { ToolCallPart } from "#contract/content.ts";
import { refuse } from "#contract/error.ts";
import type { ContextMessage } from "#contract/session/execute-request.ts";
import type { MessageRecord } from "#core/record/record.ts";
import { isAnswer } from "#core/record/scope.ts";
import { hostMessage } from "#host/host-records.ts";
import { systemClock } from "#lib/system-clock.ts";

import { openRun } from "./conversation.ts";
import type { Conversation } from "./conversation.ts";
import { restoreConversation } from "./restore.ts";

/** Resumes a conversation from its messages. */
export function resume(conversation: Conversation, given: readonly ContextMessage[]): void {
  if (given.length === 0) return;
  const { ids } = conversation;
  const means = { newId: () => ids.next(), at: systemClock.now(), runId: ids.next() };
  const { records, messages, open } = restoreConversation(given, means);
  if (!open.some(({ name }) => conversation.isRemote(name))) {
    conversation.restore(messages, records, null);
    return;
  }
  const unknown = open.find(({ name }) => !conversation.tools.has(name));
  if (unknown !== undefined) {
    throw refuse(
      "invalid_request",
      `The conversation waits for a result of "${unknown.name}", which is not among the tools.`,
    );
  }
  const started = open.map((call) => startedCall(call, conversation, means));
  const from = records.findLastIndex(isAnswer);
  const { limits } = conversation.options;
  const waiting = openRun({ id: means.runId, at: means.at, limits }, [...records.slice(from), ...started]);
  conversation.restore(messages, records.slice(0, from), waiting);
}

/**
 * The record of an open call. A call of a remote tool waits for its result. A call of a local tool was interrupted and its effects are
 * unknown, so the loop sends the model an error that states this.
 */
function startedCall(
  { id, name }: ToolCallPart,
  conversation: Conversation,
  { newId, at, runId }: { newId: () => string; at: number; runId: string },
): MessageRecord {
  const deadline = Number.MAX_SAFE_INTEGER;
  return {
    ...hostMessage({ id: newId(), role: "assistant", parts: [] }, { at, run_id: runId }),
    role: "tool",
    name,
    tool_call_id: id,
    step: 1,
    side: "a",
    status: "started",
    ...(conversation.isRemote(name) ? { awaits: { kind: "remote", deadline, delivered: null } } : {}),
  };
}
