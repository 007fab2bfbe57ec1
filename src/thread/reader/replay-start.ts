// Where a replay begins to read: at the run that was under way at a number, or at the rest after it.

import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { RunRecord, ThreadRecord } from "#core/record.ts";

const page = 50;
const firstPage = 2;

/** Where the part before found what this one may begin at, so that it need not be searched for again. */
export interface ReplayPlace {
  /** Id of a run that had begun by then; null where none had. */
  run: string | null;
  /** Position up to which every message was told, if no run is under way where the next part begins. */
  message: string;
}

/** The last run that had begun by `after`; null where none had. */
export function runAt(
  store: ThreadStore,
  { after, place }: { after: number; place: ReplayPlace | null },
): RunRecord | null {
  if (after === 0) return null;
  return place === null ? newestBegun(store, after) : lastBegunFrom(store, place.run ?? undefined, after);
}

/** Who follows a thread asks for the last run or the one before it, so few rows are read first and more where they do not do. */
function newestBegun(store: ThreadStore, after: number): RunRecord | null {
  let beyond: string | undefined;
  for (let limit = firstPage; ; limit = page) {
    const batch = store.runs({ order: "desc", limit, beyond });
    const found = batch.find((run) => hadBegun(run, after));
    if (found !== undefined) return found;
    if (batch.length < limit) return null;
    beyond = batch.at(-1)?.id;
  }
}

/**
 * The same, going forward from a run that is known, so that the parts of a long replay do not each walk back from the end;
 * without one from the first.
 */
export function lastBegunFrom(store: ThreadStore, place: string | undefined, after: number): RunRecord | null {
  let last = place === undefined ? null : store.run(place);
  let beyond = place;
  for (;;) {
    const batch = store.runs({ order: "asc", limit: page, beyond });
    for (const run of batch) {
      if (hadBegun(run, after)) last = run;
      // One that was taken back before it began is passed over.
      else if (run.started_at !== null) return last;
    }
    if (batch.length < page) return last;
    beyond = batch.at(-1)?.id ?? beyond;
  }
}

function hadBegun({ events }: RunRecord, after: number): boolean {
  return events.some(({ type, seq }) => type === "run_start" && seq <= after);
}

/**
 * The position behind which untold messages stand: that of the run that was under way, or where at rest the first was added
 * since. Messages at rest are told in the order of their positions, so the search goes back from the next run and stops
 * early.
 */
export function firstMessage(
  store: ThreadStore,
  thread: ThreadRecord,
  { run, from: { after, place } }: { run: RunRecord | null; from: { after: number; place: ReplayPlace | null } },
): string {
  if (after === 0) return "";
  if (run !== null && !isOver(run, after)) return run.after_position;
  if (place !== null) return place.message;
  const next = nextStarted(store, run);
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

function nextStarted(store: ThreadStore, run: RunRecord | null): RunRecord | null {
  let beyond = run?.id;
  for (;;) {
    const batch = store.runs({ order: "asc", limit: page, beyond });
    const next = batch.find(({ started_at }) => started_at !== null);
    if (next !== undefined || batch.length < page) return next ?? null;
    beyond = batch.at(-1)?.id;
  }
}
