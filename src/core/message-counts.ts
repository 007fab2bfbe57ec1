// Kept counts of a branch's messages, so that no total is ever counted row by row.

import type { MessageCounts, MessageRecord } from "./record.ts";

/** The counts with one message more, or one less. */
export function counted(
  counts: MessageCounts,
  { depth, silent }: Pick<MessageRecord, "depth" | "silent">,
  by: 1 | -1,
): MessageCounts {
  const [shown, hidden] = counts[depth] ?? [0, 0];
  return { ...counts, [depth]: silent ? [shown, hidden + by] : [shown + by, hidden] };
}

/** How many messages a filter covers. */
export function totalOf(
  counts: MessageCounts,
  { includeSilent, maxDepth }: { includeSilent: boolean; maxDepth?: number | undefined },
): number {
  return Object.entries(counts)
    .filter(([depth]) => maxDepth === undefined || Number(depth) <= maxDepth)
    .reduce((sum, [, [shown, silent]]) => sum + shown + (includeSilent ? silent : 0), 0);
}
