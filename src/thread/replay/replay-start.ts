// Where a replay begins to read: at the run that was under way at a number, or at the rest after it.

import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { RunRecord, ThreadRecord } from "#core/record.ts";

import { nextBegun, runsBackAt, runsOnAt } from "./begun-runs.ts";
import type { RunsAt } from "./begun-runs.ts";

/** Where the part before found what this one may begin at, so that it need not be searched for again. */
export interface ReplayPlace {
  /** Runs told later have this id or a higher one; null where any may. */
  run: string | null;
  /** Position up to which every message was told, if no run is under way where the next part begins. */
  message: string;
}

/** The runs at the number that a part begins at. */
export function runsAt(store: ThreadStore, { after, place }: { after: number; place: ReplayPlace | null }): RunsAt {
  if (after === 0) return { last: null, from: undefined, newest: undefined };
  return place === null ? runsBackAt(store, after) : runsOnAt(store, place.run ?? undefined, after);
}

/**
 * The position behind which untold messages stand: that of the run that was under way, or where at rest the first was added
 * since. Messages at rest are told in the order of their positions, so the search goes back from the next run and stops
 * early.
 */
export function firstMessage(
  store: ThreadStore,
  thread: ThreadRecord,
  { runs, from: { after, place } }: { runs: RunsAt; from: { after: number; place: ReplayPlace | null } },
): string {
  if (after === 0) return "";
  const { last, from } = runs;
  if (last !== null && !isOver(last, after)) return last.after_position;
  if (place !== null) return place.message;
  const next = nextBegun(store, from, after);
  let start = next?.after_position ?? thread.last_position;
  if (next !== null && start === "") return "";
  let beyond = next === null ? undefined : `${start}~`;
  for (;;) {
    const [message] = store.messages({ branch: thread.branch, order: "desc", limit: 1, beyond, includeSilent: true });
    if (message === undefined) return "";
    start = message.position;
    if ((message.events.at(-1)?.seq ?? 0) <= after) return start;
    beyond = start;
  }
}

/** The run had ended by then. */
export function isOver({ events }: RunRecord, after: number): boolean {
  return events.some(({ type, seq }) => type === "run_end" && seq <= after);
}
