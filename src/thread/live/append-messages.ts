// Adds complete messages outside of a run's step: the first messages of a new thread, a message that starts no run, or a message that a
// definition adds.

import type { MessageRecord, ThreadRecord } from "#core/record/record.ts";

import type { LiveThread } from "./live-thread.ts";

/** Adds messages and changes the thread's row in one transaction, then sends their events. Returns the messages as stored. */
export function appendMessages(
  live: LiveThread,
  messages: readonly MessageRecord[],
  change: Partial<ThreadRecord> = {},
): MessageRecord[] {
  return live.transaction(() => {
    const stored = messages.map((message) => live.insertWhole(live.placed(message)));
    live.change(change);
    live.markIdleChange();
    live.save();
    return stored;
  });
}
