// A line of messages within a run: the run's own, or that of a sub-prompt under the call that started it.

import type { MessageRecord } from "./record.ts";

/** Where a line hangs: its depth, and the tool message of the call it answers. */
export interface Line {
  depth: number;
  parent_id: string | null;
}

/** The run's own line. */
export const mainLine: Line = { depth: 0, parent_id: null };

/** The line of a nested loop that answers the call with this tool message. */
export function lineUnder({ id, depth }: Pick<MessageRecord, "id" | "depth">): Line {
  return { depth: depth + 1, parent_id: id };
}

/** True for a message of the line itself, not of those above or below it. */
export function isOnLine({ depth, parent_id }: Line, message: MessageRecord): boolean {
  return message.depth === depth && message.parent_id === parent_id;
}

/** True for a message that a step made: a model's answer, or the calls a definition queued in its place. */
export function isAnswer(message: MessageRecord): boolean {
  return message.step !== null && message.role !== "tool";
}

/** True for an answer that a model gave. */
export function isModelAnswer(message: MessageRecord): boolean {
  return isAnswer(message) && message.model !== null;
}
