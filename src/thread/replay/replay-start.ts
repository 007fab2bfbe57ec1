// Finds where a replay begins to read: at the run that was active at an event number, or, if no run was active, at the first message after
// the number. Runs usually start in the order of their ids. A run overtakes earlier ones if it was moved up in the queue or interrupted
// another run. Such a run stores the lowest id that it overtook (`overtook`), and each overtaken run stores the highest id that overtook it
// (`overtaken`).

import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { ThreadRecord } from "#core/record/record.ts";
import type { RunRecord } from "#core/record/run-record.ts";

/** The number of rows that one query reads. A row may have 2 MiB. */
const page = 25;
const firstPage = 2;

/** Where the previous part of a replay ended, so that the next part does not search again. */
export interface ReplayPlace {
  /** Runs with later events have this id or a higher one; null if any run may have them. */
  run: string | null;
  /** Every message up to this position was sent. Used if no run is active where the next part begins. */
  message: string;
}

/** The event number after which the replayed events begin, and the position at which the previous part ended; null for the first part. */
export interface ReplayFrom {
  after: number;
  place: ReplayPlace | null;
}

/** Facts about the runs that had started before an event number. */
export interface RunsAt {
  /** The run that had started last; null if none had started. */
  last: RunRecord | null;
  /** Every run with events after the event number has this id or a higher one; undefined if any run may have them. */
  from: string | undefined;
  /** The highest id of the runs that had started. Log rows with later events have higher ids. */
  newest: string | undefined;
}

/** Finds the runs that had started before the event number `after`. */
export function runsAt(store: ThreadStore, { after, place }: ReplayFrom): RunsAt {
  if (after === 0) return { last: null, from: undefined, newest: undefined };
  return place === null ? searchRunsBack(store, after) : searchRunsOn(store, place.run ?? undefined, after);
}

/**
 * The position after which the messages with events to send are stored: the start of the run that was active, or the last message whose
 * events were all sent. Messages outside of runs are sent in the order of their positions, so the search goes back from the next run and
 * stops early.
 */
export function firstMessage(
  store: ThreadStore,
  thread: ThreadRecord,
  { runs, from: { after, place } }: { runs: RunsAt; from: ReplayFrom },
): string {
  if (after === 0) return "";
  const { last, from } = runs;
  if (last !== null && !hadEnded(last, after)) return last.after_position;
  if (place !== null) return place.message;
  const next = nextStarted(store, from, after);
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

/** Whether a run had ended at an event number. */
export function hadEnded({ events }: RunRecord, after: number): boolean {
  return events.some(({ type, seq }) => type === "run_end" && seq <= after);
}

function hadStarted(run: RunRecord, after: number): boolean {
  const start = startOf(run);
  return start > 0 && start <= after;
}

/** The number of a run's first event; 0 for a run that has not started. */
export function startOf({ events }: RunRecord): number {
  return events.find(({ type }) => type === "run_start")?.seq ?? 0;
}

/** Yields the runs in the order of their ids, beginning with `from`; all runs if it is undefined. */
export function* runsById(store: ThreadStore, from: string | undefined): Generator<RunRecord> {
  const first = from === undefined ? null : store.run(from);
  if (first !== null) yield first;
  let beyond = from;
  for (;;) {
    const batch = store.runs({ order: "asc", limit: page, beyond });
    yield* batch;
    beyond = batch.at(-1)?.id;
    if (batch.length < page) return;
  }
}

/**
 * Yields the runs in the order in which they started. A run may have started after runs with higher ids that overtook it in the queue. The
 * runs with events to send have the id `from` or a higher one.
 */
export function* runsByStart(store: ThreadStore, from: string | undefined): Generator<RunRecord> {
  let overtakenRuns: { id: string; start: number }[] = [];
  let upTo = "";
  const release = function* () {
    const inOrder = overtakenRuns.sort((left, right) => left.start - right.start);
    overtakenRuns = [];
    // The row is read again: any number of runs may have been overtaken, and keeping their large rows would need much memory.
    for (const { id } of inOrder) {
      const run = store.run(id);
      if (run !== null) yield run;
    }
  };
  for (const run of runsById(store, from)) {
    const { id, overtaken = "" } = run;
    if (id > upTo) yield* release();
    const start = startOf(run);
    if (start === 0) continue;
    if (overtaken > upTo) upTo = overtaken;
    if (id > upTo) yield run;
    else overtakenRuns.push({ id, start });
  }
  yield* release();
}

/** Searches back from the newest run: most subscribers need the last run or the one before it. */
export function searchRunsBack(store: ThreadStore, after: number): RunsAt {
  let beyond: string | undefined;
  for (let limit = firstPage; ; limit = page) {
    const batch = store.runs({ order: "desc", limit, beyond });
    const newest = batch.find((run) => hadStarted(run, after));
    if (newest !== undefined) {
      const { id, overtook } = newest;
      if (overtook === undefined) return { last: newest, from: id, newest: id };
      return searchRunsOn(store, overtook, after);
    }
    if (batch.length < limit) return { last: null, from: undefined, newest: undefined };
    beyond = batch.at(-1)?.id;
  }
}

/** Searches forward from the run at which the previous part began, so that the parts of a long replay do not each search back. */
export function searchRunsOn(store: ThreadStore, from: string | undefined, after: number): RunsAt {
  let last: RunRecord | null = null;
  let newest: { id: string; overtook: string | undefined } | null = null;
  for (const run of runsByStart(store, from)) {
    if (!hadStarted(run, after)) break;
    last = run;
    if (newest === null || run.id > newest.id) newest = { id: run.id, overtook: run.overtook };
  }
  return { last, from: newest?.overtook ?? newest?.id ?? from, newest: newest?.id };
}

/** The first run that started after an event number; null if there is none. It has the id `from` or a higher one. */
export function nextStarted(store: ThreadStore, from: string | undefined, after: number): RunRecord | null {
  for (const run of runsByStart(store, from)) if (!hadStarted(run, after)) return run;
  return null;
}
