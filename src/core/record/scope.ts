// The scope of a loop: the messages that belong to it among all messages of a run. The run's main loop and each nested loop of a
// sub-prompt have a scope of their own.

import type { MessageRecord } from "./record.ts";

/** Messages with this depth and this parent belong to the scope. The parent is the tool message of the call that a nested loop answers. */
export interface Scope {
  depth: number;
  parent_id: string | null;
}

/** The scope of a run's main loop. */
export const mainScope: Scope = { depth: 0, parent_id: null };

/** The scope of the nested loop that answers the call with this tool message. */
export function scopeUnder({ id, depth }: Pick<MessageRecord, "id" | "depth">): Scope {
  return { depth: depth + 1, parent_id: id };
}

/** True for a message of the scope itself, false for messages of the scopes above and below it. */
export function isInScope({ depth, parent_id }: Scope, message: MessageRecord): boolean {
  return message.depth === depth && message.parent_id === parent_id;
}

/** True for the message that a step begins with: a model's answer, or the message with calls that a definition queued. */
export function isAnswer(message: MessageRecord): boolean {
  return message.step !== null && message.role !== "tool";
}

/** True for a model's answer. */
export function isModelAnswer(message: MessageRecord): boolean {
  return isAnswer(message) && message.model !== null;
}
