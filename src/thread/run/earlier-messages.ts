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

/** All of them, oldest first. */
export function earlierMessages(live: LiveThread, run: RunRecord): MessageRecord[] {
  return messagesBefore(live, run, 1_000_000).reverse();
}
