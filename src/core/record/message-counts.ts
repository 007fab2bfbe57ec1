// The stored counts of a branch's messages, so that totals are not counted from rows.

import type { MessageCounts, MessageRecord } from "./record.ts";

/** The counts after a message was added (1) or deleted (-1). */
export function changedCounts(
  counts: MessageCounts,
  { depth, silent }: Pick<MessageRecord, "depth" | "silent">,
  by: 1 | -1,
): MessageCounts {
  const [shown, hidden] = counts[depth] ?? [0, 0];
  return { ...counts, [depth]: silent ? [shown, hidden + by] : [shown + by, hidden] };
}

/** The number of messages that match a filter. */
export function totalOf(
  counts: MessageCounts,
  { includeSilent, maxDepth }: { includeSilent: boolean; maxDepth?: number | undefined },
): number {
  return Object.entries(counts)
    .filter(([depth]) => maxDepth === undefined || Number(depth) <= maxDepth)
    .reduce((sum, [, [shown, silent]]) => sum + shown + (includeSilent ? silent : 0), 0);
}
