// What was told after a number, made again from rows: a pure function of what is stored, given in parts of bounded size.
// Reads from the run that was under way at that number on, and stops at the first run that the part has no room for; never
// the whole thread.

import type { PlainEvent } from "#contract/event.ts";
import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { ThreadRecord } from "#core/record.ts";
import { fromStored } from "#core/stored-event.ts";

import { EarliestRows } from "./earliest-rows.ts";
import { eventSource } from "./event-source.ts";
import { firstMessage, runAt } from "./replay-start.ts";

/** Rows that are read at once; a row may have 2 MiB. */
const page = 25;

/** A part stays in memory while its reader takes its time, so it is small. */
const bounds = { rows: 500, size: 512 * 1024 };

/** A part of a replay: events in order, and the number up to which they are all there; null when nothing is left out. */
export interface ReplayPart {
  events: PlainEvent[];
  upTo: number | null;
  /** Id of the run that the search for the next part begins at. */
  place: string | null;
}

/** Events with a greater number than `after`, in order; of a long tail only its beginning. `place` is that of the part before. */
export function replay(
  store: ThreadStore,
  thread: ThreadRecord,
  { after, place }: { after: number; place: string | null },
): ReplayPart {
  const run = runAt(store, { after, place });
  const rows = new EarliestRows(after, bounds);
  const begins = runBegins(store);
  offerEvents(store, after, rows);
  offerMessages(store, thread, { beyond: firstMessage(store, thread, { run, after }), rows, begins });
  if (run !== null) rows.offer(run);
  offerRuns(store, run?.id, rows);
  offerLogs(store, run?.id, { rows, begins });
  const source = eventSource(store, thread, rows.messages());
  return {
    events: rows.events().flatMap((event) => fromStored(event, source) ?? []),
    upTo: rows.leftOutFrom === null ? null : rows.leftOutFrom - 1,
    place: run?.id ?? null,
  };
}

/** Their order is that of their numbers. */
function offerEvents(store: ThreadStore, after: number, rows: EarliestRows): void {
  for (let from = after; !rows.isLater(from + 1);) {
    const batch = store.eventsAfter(from, page);
    for (const event of batch) rows.offer({ events: [event] });
    from = batch.at(-1)?.seq ?? from;
    if (batch.length < page) return;
  }
}

/** In the order of their positions a run's rows stand before those of the next; within a run any may be told first. */
function offerMessages(
  store: ThreadStore,
  { branch }: ThreadRecord,
  { beyond, rows, begins }: { beyond: string; rows: EarliestRows; begins: RunBegins },
): void {
  let from = beyond === "" ? undefined : beyond;
  for (;;) {
    const batch = store.messages({ branch, order: "asc", includeSilent: true, limit: page, beyond: from });
    for (const message of batch) {
      if (begins.isLater(message.run_id, rows)) return;
      rows.offer(message, message);
    }
    from = batch.at(-1)?.position;
    if (batch.length < page) return;
  }
}

/** Runs begin in the order of their ids, and are admitted in it. */
function offerRuns(store: ThreadStore, beyond: string | undefined, rows: EarliestRows): void {
  let from = beyond;
  for (;;) {
    const batch = store.runs({ order: "asc", limit: page, beyond: from });
    for (const run of batch) {
      if (rows.isLater(run.events[0]?.seq ?? 0)) return;
      rows.offer(run);
    }
    from = batch.at(-1)?.id;
    if (batch.length < page) return;
  }
}

/** A step's row is written at its end and tells its beginning: the rows of a run are all looked at. */
function offerLogs(
  store: ThreadStore,
  beyond: string | undefined,
  { rows, begins }: { rows: EarliestRows; begins: RunBegins },
): void {
  let from = beyond;
  for (;;) {
    const batch = store.logs({ order: "asc", limit: page, beyond: from });
    for (const log of batch) {
      if (begins.isLater(log.run_id, rows)) return;
      rows.offer(log);
    }
    from = batch.at(-1)?.id;
    if (batch.length < page) return;
  }
}

interface RunBegins {
  /** True for a run whose beginning is left to a later part: nothing of it was told before. */
  isLater(runId: string | null, rows: EarliestRows): boolean;
}

function runBegins(store: ThreadStore): RunBegins {
  const known = new Map<string, number>();
  return {
    isLater(runId, rows) {
      if (runId === null || rows.leftOutFrom === null) return false;
      let begin = known.get(runId);
      if (begin === undefined) {
        begin = store.run(runId)?.events.find(({ type }) => type === "run_start")?.seq ?? 0;
        known.set(runId, begin);
      }
      return rows.isLater(begin);
    },
  };
}
