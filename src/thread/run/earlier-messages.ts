// Reads the messages before a run, without those of nested loops.

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
    // The store's bound is exclusive. `~` sorts after the position, so that the message at the position is included.
    beyond: `${run.after_position}~`,
  });
}

/** The most messages that are searched for one of an earlier run. Messages without a run may follow it. */
const lookBack = 10;

/**
 * The first of the runs that a `continue` repeats or continues: the previous run, if it failed, was stopped or reached a limit, and so on
 * backwards while the runs found are `continue` runs too. Null for every other run.
 */
export function carriedOn(live: LiveThread, run: RunRecord): RunRecord | null {
  let first: RunRecord | null = null;
  // Each found run is earlier than the last one, so the loop ends.
  for (let current = run; current.kind === "continue";) {
    const id = messagesBefore(live, current, lookBack).find((message) => message.run_id !== null)?.run_id;
    const before = id == null ? null : live.store.run(id);
    if (before === null || before.status === "completed") break;
    first = before;
    current = before;
  }
  return first;
}

/** The messages from `first` up to the start of `run`, oldest first, including those of nested loops. */
export function carriedMessages(live: LiveThread, first: RunRecord, run: RunRecord): MessageRecord[] {
  const messages = live.store.messagesAfter(run.branch, first.after_position);
  return messages.filter(({ position }) => position <= run.after_position);
}
