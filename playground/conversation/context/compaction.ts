// The compactions of a thread, which its events report: why a request was made smaller, and by how much.

import type { EventOf, ThreadEvent } from "threadhold/client";

/** The types of the events of a compaction. */
export const compactionTypes = ["compaction_start", "compaction_end"] as const;

type CompactionEvent = EventOf<(typeof compactionTypes)[number]>;

/** A compaction that dropped messages: its two events. */
export interface Compaction {
  start: EventOf<"compaction_start">;
  end: EventOf<"compaction_end">;
}

/** Adds events of compactions to the known ones, sorted by number. Events of nested loops are left out: they concern other requests. */
export function withCompactions(
  known: readonly CompactionEvent[],
  events: readonly ThreadEvent[],
): readonly CompactionEvent[] {
  const numbers = new Set(known.map(({ seq }) => seq));
  const added = events.filter(
    (event): event is CompactionEvent =>
      (event.type === "compaction_start" || event.type === "compaction_end") &&
      event.parent_id === undefined &&
      !numbers.has(event.seq),
  );
  return added.length === 0 ? known : [...known, ...added].toSorted((one, other) => one.seq - other.seq);
}

/** The last compaction that dropped messages; null if there is none. A later compaction may have left out only files. */
export function lastDrop(events: readonly CompactionEvent[]): Compaction | null {
  let last: Compaction | null = null;
  let start: EventOf<"compaction_start"> | null = null;
  /** Messages that each side's requests no longer contain. */
  const dropped = new Map<string | undefined, number>();
  for (const event of events) {
    if (event.type === "compaction_start") {
      start = event;
      continue;
    }
    if (start !== null && event.dropped > (dropped.get(event.side) ?? 0)) last = { start, end: event };
    dropped.set(event.side, event.dropped);
  }
  return last;
}
