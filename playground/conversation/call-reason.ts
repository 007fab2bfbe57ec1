// The text that an agent wrote in the message that makes a call: the reason for the call, as the agent states it.

import type { MessageView, PendingCall } from "threadhold/client";

import { isVisible } from "../kit/visible-text.ts";

/** The text before a waiting call, and its author. */
export interface CallReason {
  by: string;
  text: string;
}

/** The maximum length of the shown text, which is the one of the list of threads. */
const longest = 300;

/** The text of the message that makes the call; null if it has none. For a call of a child thread: of the call that started the child. */
export function textBefore(call: PendingCall, messages: readonly MessageView[]): string | null {
  const result = call.thread_id === undefined ? undefined : messages.find(({ id }) => id === call.message_id);
  const callId = call.thread_id === undefined ? call.id : result?.tool_call_id;
  const message = messages.findLast(
    ({ role, parts }) => role !== "tool" && parts.some((part) => part.type === "tool_call" && part.id === callId),
  );
  const text = message?.content ?? null;
  if (text === null || !isVisible(text)) return null;
  if (text.length <= longest) return text;
  // Not within a character of two UTF-16 units.
  return `${text
    .slice(0, longest)
    .replace(/[\uD800-\uDBFF]$/, "")
    .trimEnd()}…`;
}
