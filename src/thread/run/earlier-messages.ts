// What was said before a run, on the thread's own line.

import type { MessageRecord, RunRecord } from "#core/record.ts";

import type { LiveThread } from "../live-thread.ts";

/** Up to `limit` messages before the run, newest first. */
export function messagesBefore({ store }: LiveThread, run: RunRecord, limit: number): MessageRecord[] {
  if (run.after_position === "") return [];
  return store.messages({
    branch: run.branch,
    order: "desc",
    limit,
    includeSilent: true,
    maxDepth: 0,
    // The store's bound is exclusive: just behind the position, so that its message is among them.
    beyond: `${run.after_position}~`,
  });
}

/** Messages looked at for the one that a run before wrote: those that belong to no run may stand behind it. */
const lookBack = 10;

/**
 * The run that a continue repeats or carries on: the run before it, if that failed, was stopped or came to a limit. Where that was
 * a continue as well, the run which that one carried on. Null for every other run.
 */
export function carriedOn(live: LiveThread, run: RunRecord): RunRecord | null {
  let first: RunRecord | null = null;
  // Each one found begins before a message of its own that stands before the last one, so this ends.
  for (let current = run; current.kind === "continue";) {
    const id = messagesBefore(live, current, lookBack).find((message) => message.run_id !== null)?.run_id;
    const before = id == null ? null : live.store.run(id);
    if (before === null || before.status === "completed") break;
    first = before;
    current = before;
  }
  return first;
}

/** The messages of the runs that a run carries on, oldest first, those of lines below among them. */
export function carriedMessages(live: LiveThread, first: RunRecord, run: RunRecord): MessageRecord[] {
  const messages = live.store.messagesAfter(run.branch, first.after_position);
  return messages.filter(({ position }) => position <= run.after_position);
}
