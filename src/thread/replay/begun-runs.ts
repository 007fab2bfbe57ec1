// Runs in the order in which they began. That is the order of their ids, but for those that were moved in the queue, or that
// ended the run before them: each of these notes what it passed, and whom it was passed by (`overtook`, `overtaken`).

import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { RunRecord } from "#core/record.ts";

/** Rows that are read at once; a row may have 2 MiB. */
const page = 25;
const firstPage = 2;

/** Where the runs stand at a number. */
export interface RunsAt {
  /** The run that began last; null where none had. */
  last: RunRecord | null;
  /** Every run with something told after the number has this id or a higher one; undefined where any may have. */
  from: string | undefined;
  /** Highest id of those that had begun: log rows with something told after the number come behind it. */
  newest: string | undefined;
}

const noRun: RunsAt = { last: null, from: undefined, newest: undefined };

/** Number of a run's beginning; 0 for one that has not begun. */
export function startOf({ events }: RunRecord): number {
  return events.find(({ type }) => type === "run_start")?.seq ?? 0;
}

/** Runs by id, from one on. */
export function* runsFrom(store: ThreadStore, from: string | undefined): Generator<RunRecord> {
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

/** Runs that began, in that order, `from` as in `RunsAt`. One that was overtaken is held back until those were passed. */
export function* runsAsBegun(store: ThreadStore, from: string | undefined): Generator<RunRecord> {
  let held: { id: string; start: number }[] = [];
  let upTo = "";
  const release = function* () {
    const inOrder = held.sort((left, right) => left.start - right.start);
    held = [];
    // Read again: any number may have been held back, and a row is large.
    for (const { id } of inOrder) {
      const run = store.run(id);
      if (run !== null) yield run;
    }
  };
  for (const run of runsFrom(store, from)) {
    const { id, overtaken = "" } = run;
    if (id > upTo) yield* release();
    const start = startOf(run);
    if (start === 0) continue;
    if (overtaken > upTo) upTo = overtaken;
    if (id > upTo) yield run;
    else held.push({ id, start });
  }
  yield* release();
}

/** Where the runs stood at a number, looked for from the end: who follows a thread asks for the last run or the one before. */
export function runsBackAt(store: ThreadStore, after: number): RunsAt {
  let beyond: string | undefined;
  for (let limit = firstPage; ; limit = page) {
    const batch = store.runs({ order: "desc", limit, beyond });
    const newest = batch.find((run) => hadBegun(run, after));
    if (newest !== undefined) {
      const { id, overtook } = newest;
      if (overtook === undefined) return { last: newest, from: id, newest: id };
      return runsOnAt(store, overtook, after);
    }
    if (batch.length < limit) return noRun;
    beyond = batch.at(-1)?.id;
  }
}

/** The same, going forward from the `from` of a smaller number, so that the parts of a long replay do not each walk back. */
export function runsOnAt(store: ThreadStore, from: string | undefined, after: number): RunsAt {
  let last: RunRecord | null = null;
  let newest: Pick<RunRecord, "id" | "overtook"> | null = null;
  for (const run of runsAsBegun(store, from)) {
    if (!hadBegun(run, after)) break;
    last = run;
    if (newest === null || run.id > newest.id) newest = { id: run.id, ...pick(run) };
  }
  return { last, from: newest?.overtook ?? newest?.id ?? from, newest: newest?.id };
}

function pick({ overtook }: RunRecord): Pick<RunRecord, "overtook"> {
  return overtook === undefined ? {} : { overtook };
}

/** The first run that began after a number, from `from` of `RunsAt` on; null for none. */
export function nextBegun(store: ThreadStore, from: string | undefined, after: number): RunRecord | null {
  for (const run of runsAsBegun(store, from)) if (!hadBegun(run, after)) return run;
  return null;
}

function hadBegun(run: RunRecord, after: number): boolean {
  const start = startOf(run);
  return start > 0 && start <= after;
}
