// Rebuilds the events after a number from stored rows: the entry of this folder. A pure function of what is stored, in parts of
// bounded size; it reads from the run that was active at that number, never the whole thread. docs/design/replay.md has a worked
// example.

import type { PlainEvent } from "#contract/event.ts";
import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { MessageRecord, ThreadRecord } from "#core/record.ts";
import { fromStored } from "#core/stored-event.ts";

import { runsFrom, runsOnAt, startOf } from "./begun-runs.ts";
import type { RunsAt } from "./begun-runs.ts";
import { EarliestRows } from "./earliest-rows.ts";
import { eventSource } from "./event-source.ts";
import { firstMessage, isOver, runsAt } from "./replay-start.ts";
import type { ReplayPlace } from "./replay-start.ts";

/** Rows that are read at once; a row may have 2 MiB. */
const page = 25;

/** A part stays in memory while its reader takes its time, so it is small. */
const bounds = { rows: 500, size: 512 * 1024 };

/** A part of a replay: events in order, and the number up to which they are all there; null when nothing is left out. */
export interface ReplayPart {
  events: PlainEvent[];
  upTo: number | null;
  /** About as many UTF-16 units as the events take that nothing else holds in memory. */
  size: number;
  /** Where the search for the next part begins; null where nothing was searched for. */
  place: ReplayPlace | null;
}

/** What is asked for: events after a number. `place` is that of the part before; null where there was none. */
export interface ReplayFrom {
  after: number;
  place: ReplayPlace | null;
}

/** Events with a greater number than `after`, in order; of a long tail only its beginning. */
export function replay(store: ThreadStore, thread: ThreadRecord, from: ReplayFrom): ReplayPart {
  const { after } = from;
  const runs = runsAt(store, from);
  const rows = new EarliestRows(after, bounds);
  const begins = runBegins(store, runs.from);
  offerEvents(store, after, rows);
  const beyond = firstMessage(store, thread, { runs, from });
  const messages = offerMessages(store, thread, { beyond, rows, begins });
  offerRuns(store, runs.from, rows);
  offerLogs(store, runs.newest, { rows, begins });
  const source = eventSource(store, thread, rows.messages());
  return {
    events: rows.events().flatMap((event) => fromStored(event, source) ?? []),
    upTo: rows.leftOutFrom === null ? null : rows.leftOutFrom - 1,
    size: rows.size,
    place: { run: runs.from ?? null, message: toldUpTo(messages, rows) ?? beyond },
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

/** Where a message stands, and the number of its last event. */
interface MessagePlace {
  position: string;
  last: number;
}

/** In the order of their positions a run's rows stand before those of the next; within a run any may be told first. */
function offerMessages(
  store: ThreadStore,
  { branch }: ThreadRecord,
  { beyond, rows, begins }: { beyond: string; rows: EarliestRows; begins: RunBegins },
): MessagePlace[] {
  const places: MessagePlace[] = [];
  for (const message of messagesBeyond(store, branch, beyond)) {
    if (isAllLater(message, { rows, begins })) break;
    rows.offer(message, message);
    places.push({ position: message.position, last: message.events.at(-1)?.seq ?? 0 });
  }
  return places;
}

/** The position up to which nothing is left to a later part. Ask when every kind of row was offered. */
function toldUpTo(places: readonly MessagePlace[], rows: EarliestRows): string | undefined {
  const open = places.findIndex(({ last }) => rows.isLater(last));
  return (open === -1 ? places : places.slice(0, open)).at(-1)?.position;
}

function* messagesBeyond(store: ThreadStore, branch: string, beyond: string): Generator<MessageRecord> {
  let from = beyond === "" ? undefined : beyond;
  for (;;) {
    const batch = store.messages({ branch, order: "asc", includeSilent: true, limit: page, beyond: from });
    yield* batch;
    from = batch.at(-1)?.position;
    if (batch.length < page) return;
  }
}

/** This message and those behind it are left to a later part. Messages at rest are told in the order of their positions. */
function isAllLater(
  { run_id, events }: MessageRecord,
  { rows, begins }: { rows: EarliestRows; begins: RunBegins },
): boolean {
  if (run_id !== null) return begins.isLater(run_id, rows);
  const first = events[0]?.seq ?? 0;
  return rows.isLater(first) && begins.isRest(first, rows);
}

/** Runs are admitted in the order of their ids, whichever they begin in. */
function offerRuns(store: ThreadStore, from: string | undefined, rows: EarliestRows): void {
  for (const run of runsFrom(store, from)) {
    if (rows.isLater(run.events[0]?.seq ?? 0)) return;
    rows.offer(run);
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
  /** True for a number at which no run was under way, or one whose beginning is left to a later part. */
  isRest(seq: number, rows: EarliestRows): boolean;
}

/** `from` is the run that the part begins at. */
function runBegins(store: ThreadStore, from: string | undefined): RunBegins {
  const known = new Map<string, number>();
  let last: RunsAt["last"] | undefined;
  return {
    isLater(runId, rows) {
      if (runId === null || rows.leftOutFrom === null) return false;
      let begin = known.get(runId);
      if (begin === undefined) {
        const run = store.run(runId);
        begin = run === null ? 0 : startOf(run);
        known.set(runId, begin);
      }
      return rows.isLater(begin);
    },
    isRest(seq, rows) {
      if (rows.leftOutFrom === null) return false;
      // What is left out only grows: the last run before it is looked for again where that run is left out as well.
      if (last === undefined || (last !== null && rows.isLater(startOf(last)))) {
        last = runsOnAt(store, from, rows.leftOutFrom - 1).last;
      }
      return last === null || isOver(last, seq);
    },
  };
}
