// Rebuilds the events after an event number from stored rows. The result depends only on what is stored. A replay is read in parts of
// bounded size, from the run that was active at that event, never from the whole thread. If no run was active, it is read from the first
// message after the number. docs/design/replay.md has a worked example.
//
// Runs usually start in the order of their ids. A run overtakes earlier ones if it was moved up in the queue or interrupted another run.
// Such a run stores the lowest id that it overtook (`overtook`), and each overtaken run stores the highest id that overtook it (`overtaken`).

import type { PlainEvent } from "#contract/event.ts";
import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { MessageRecord, StoredEvent, ThreadRecord } from "#core/record/record.ts";
import type { RunRecord } from "#core/record/run-record.ts";
import { callsOf } from "#core/record/run-state.ts";
import { fromStored } from "#core/record/stored-event.ts";
import type { EventSource } from "#core/record/stored-event.ts";
import { toThread } from "#core/record/view.ts";

import { shownMessages } from "./shown-messages.ts";

/** The number of rows that one query reads. A row may have 2 MiB. */
const page = 25;

/**
 * The maximum number of rows of a part, and the maximum number of UTF-16 units of their JSON. A part stays in memory until its reader has
 * received it, so it is small.
 */
const bounds = { rows: 500, size: 512 * 1024 };

/** A part of a replay: events in order. */
export interface ReplayPart {
  events: PlainEvent[];
  /** The event number up to which all events are in this part; null if no events follow it. */
  upTo: number | null;
  /** Approximate size in UTF-16 units of the events that are in memory only because of this part. */
  size: number;
  /** The position at which the search for the next part begins; null if nothing was searched. */
  place: ReplayPlace | null;
}

/** Returns the events after an event number, in order. If they exceed the bounds, it returns the first of them. */
export function replay(store: ThreadStore, thread: ThreadRecord, from: ReplayFrom): ReplayPart {
  const { after } = from;
  const runs = runsAt(store, from);
  const rows = new EarliestRows(after);
  const starts = runStarts(store, runs.from);
  offerEvents(store, after, rows);
  const beyond = firstMessage(store, thread, { runs, from });
  const messages = offerMessages(store, { beyond, rows, starts });
  offerRuns(store, runs.from, rows);
  if (thread.branch_event !== undefined) rows.offer({ events: [thread.branch_event] });
  offerLogs(store, runs.newest, { rows, starts });
  const source = eventSource(store, thread, rows.messages());
  return {
    events: rows.events().flatMap((event) => fromStored(event, source) ?? []),
    upTo: rows.droppedFrom === null ? null : rows.droppedFrom - 1,
    size: rows.size,
    place: { run: runs.from ?? null, message: completeUpTo(messages, rows) ?? beyond },
  };
}

/**
 * Keeps the rows whose first events after an event number are the earliest, within the bounds, and at least one row. The events of one row
 * may have numbers far apart: a tool call's row contains the events before and after everything that happens inside the call. So rows may
 * be offered in any order, and the numbers of their events decide which are kept.
 */
class EarliestRows {
  readonly #after: number;
  /** Sorted by the number of the first event after `#after`. */
  readonly #kept: { first: number; size: number; events: readonly StoredEvent[]; message: MessageRecord | null }[] = [];
  #size = 0;
  #droppedFrom: number | null = null;

  constructor(after: number) {
    this.#after = after;
  }

  /** The lowest number of an event in a dropped row; null while no row was dropped. */
  get droppedFrom(): number | null {
    return this.#droppedFrom;
  }

  /** UTF-16 units of the kept rows' JSON. */
  get size(): number {
    return this.#size;
  }

  /** Whether an event belongs to a later part of the replay. */
  isLater(seq: number): boolean {
    return this.#droppedFrom !== null && seq >= this.#droppedFrom;
  }

  /** Keeps the row if it is among the earliest. Drops kept rows that no longer fit. */
  offer(row: { events: readonly StoredEvent[] }, message: MessageRecord | null = null): void {
    const first = row.events.find(({ seq }) => seq > this.#after)?.seq;
    if (first === undefined || this.isLater(first)) return;
    const size = JSON.stringify(row).length;
    const before = this.#kept.findLastIndex((known) => known.first < first);
    this.#kept.splice(before + 1, 0, { first, size, events: row.events, message });
    this.#size += size;
    while (this.#kept.length > 1 && (this.#kept.length > bounds.rows || this.#size > bounds.size)) {
      const last = this.#kept.pop();
      if (last === undefined) return;
      this.#size -= last.size;
      this.#droppedFrom = last.first;
    }
  }

  /** The events of this part, in order. */
  events(): StoredEvent[] {
    return this.#kept
      .flatMap(({ events }) => events.filter(({ seq }) => seq > this.#after && !this.isLater(seq)))
      .sort((left, right) => left.seq - right.seq);
  }

  /** The messages among the kept rows. */
  messages(): MessageRecord[] {
    return this.#kept.flatMap(({ message }) => message ?? []);
  }
}

/** Offers the rows of single events until one belongs to a later part. They are stored in the order of their numbers. */
function offerEvents(store: ThreadStore, after: number, rows: EarliestRows): void {
  for (let from = after; !rows.isLater(from + 1);) {
    const batch = store.eventsAfter(from, page);
    for (const event of batch) rows.offer({ events: [event] });
    from = batch.at(-1)?.seq ?? from;
    if (batch.length < page) return;
  }
}

/** A message's position, and the number of its last event. */
interface MessageSeq {
  position: string;
  last: number;
}

/**
 * Offers messages of all branches by position, until a message of a run that started after this part. It does not stop within a run, because
 * any message of a run may have the earliest event. All messages of a run have positions before those of the next run, whatever their
 * branches are.
 */
function offerMessages(
  store: ThreadStore,
  { beyond, rows, starts }: { beyond: string; rows: EarliestRows; starts: RunStarts },
): MessageSeq[] {
  const places: MessageSeq[] = [];
  for (const message of store.timeline({ order: "asc", page, beyond })) {
    if (areLater(message, { rows, starts })) break;
    rows.offer(message, message);
    places.push({ position: message.position, last: message.events.at(-1)?.seq ?? 0 });
  }
  return places;
}

/**
 * The position up to which the events of all messages are in this part or in earlier ones. Call it after rows of every kind were offered.
 */
function completeUpTo(places: readonly MessageSeq[], rows: EarliestRows): string | undefined {
  const open = places.findIndex(({ last }) => rows.isLater(last));
  return (open === -1 ? places : places.slice(0, open)).at(-1)?.position;
}

/** Whether this message and all after it belong to a later part. Messages outside of runs are sent in the order of their positions. */
function areLater(
  { run_id, events }: MessageRecord,
  { rows, starts }: { rows: EarliestRows; starts: RunStarts },
): boolean {
  if (run_id !== null) return starts.isLater(run_id, rows);
  const first = events[0]?.seq ?? 0;
  return rows.isLater(first) && starts.isOutside(first, rows);
}

/** Offers runs in the order of their admission, which may differ from the order in which they started. */
function offerRuns(store: ThreadStore, from: string | undefined, rows: EarliestRows): void {
  for (const run of runsById(store, from)) {
    if (rows.isLater(run.events[0]?.seq ?? 0)) return;
    rows.offer(run);
  }
}

/**
 * Offers log rows, until one belongs to a run that started after this part. A step's log row is written at the step's end and contains
 * the step's first event, so all log rows of a run are offered.
 */
function offerLogs(
  store: ThreadStore,
  beyond: string | undefined,
  { rows, starts }: { rows: EarliestRows; starts: RunStarts },
): void {
  let from = beyond;
  for (;;) {
    const batch = store.logs({ order: "asc", limit: page, beyond: from });
    for (const log of batch) {
      if (starts.isLater(log.run_id, rows)) return;
      rows.offer(log);
    }
    from = batch.at(-1)?.id;
    if (batch.length < page) return;
  }
}

interface RunStarts {
  /** Whether a run started after this part: then none of its events is in this part. */
  isLater(runId: string | null, rows: EarliestRows): boolean;
  /** Whether no run was active at an event number, or only a run that started after this part. */
  isOutside(seq: number, rows: EarliestRows): boolean;
}

/** Finds out when runs started. `from` is the id of the run at which the part begins. */
function runStarts(store: ThreadStore, from: string | undefined): RunStarts {
  const known = new Map<string, number>();
  let last: RunsAt["last"] | undefined;
  return {
    isLater(runId, rows) {
      if (runId === null || rows.droppedFrom === null) return false;
      let start = known.get(runId);
      if (start === undefined) {
        const run = store.run(runId);
        start = run === null ? 0 : startOf(run);
        known.set(runId, start);
      }
      return rows.isLater(start);
    },
    isOutside(seq, rows) {
      if (rows.droppedFrom === null) return false;
      // `droppedFrom` only decreases, so the last run before it is searched again only if that run was dropped as well.
      if (last === undefined || (last !== null && rows.isLater(startOf(last)))) {
        last = searchRunsOn(store, from, rows.droppedFrom - 1).last;
      }
      return last === null || hadEnded(last, seq);
    },
  };
}

/** The number of rows of the first query of a search back. */
const firstPage = 2;

/** Where the previous part of a replay ended, so that the next part does not search again. */
interface ReplayPlace {
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
function runsAt(store: ThreadStore, { after, place }: ReplayFrom): RunsAt {
  if (after === 0) return { last: null, from: undefined, newest: undefined };
  return place === null ? searchRunsBack(store, after) : searchRunsOn(store, place.run ?? undefined, after);
}

/**
 * The position after which the messages with events to send are stored: the start of the run that was active, or the last message whose
 * events were all sent. Messages outside of runs are sent in the order of their positions, so the search goes back from the next run and
 * stops early.
 */
function firstMessage(
  store: ThreadStore,
  thread: ThreadRecord,
  { runs, from: { after, place } }: { runs: RunsAt; from: ReplayFrom },
): string {
  if (after === 0) return "";
  const { last, from } = runs;
  if (last !== null && !hadEnded(last, after)) return last.after_position;
  if (place !== null) return place.message;
  const next = nextStarted(store, from, after);
  const start = next?.after_position ?? thread.last_position;
  if (next !== null && start === "") return "";
  const beyond = next === null ? undefined : `${start}~`;
  for (const { position, events } of store.timeline({ order: "desc", page: 1, beyond })) {
    if ((events.at(-1)?.seq ?? 0) <= after) return position;
  }
  return "";
}

/** Whether a run had ended at an event number. */
function hadEnded({ events }: RunRecord, after: number): boolean {
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
function* runsById(store: ThreadStore, from: string | undefined): Generator<RunRecord> {
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

/** Finds the data that a stored event omits: in rows that were read before (`known`, which are current rows), otherwise in the store. */
export function eventSource(store: ThreadStore, thread: ThreadRecord, known: readonly MessageRecord[]): EventSource {
  const { id } = thread;
  const messages = new Map(known.map((message) => [message.id, message]));
  const calls = new Map<string, MessageRecord>();
  const addCalls = (message: MessageRecord) => {
    for (const call of callsOf(message)) calls.set(call.id, message);
  };
  known.forEach(addCalls);
  const source: EventSource = {
    threadId: id,
    thread: () => toThread(thread),
    message: (messageId) => messages.get(messageId) ?? store.message(messageId) ?? undefined,
    branchMessages: (branch, after, before) => shownMessages(store, { branch, after, before }).messages,
    callMessage(callId, toolMessageId) {
      // The answer that made the call may be in an earlier part of the replay. It is stored a few rows before the call's own message.
      const { branch = "", position } = source.message(toolMessageId) ?? {};
      let beyond = calls.has(callId) ? undefined : position;
      while (beyond !== undefined && !calls.has(callId)) {
        const batch = store.messages({ branch, order: "desc", includeSilent: true, limit: page, beyond });
        batch.forEach(addCalls);
        beyond = batch.length < page ? undefined : batch.at(-1)?.position;
      }
      return calls.get(callId);
    },
    run: (runId) => store.run(runId) ?? undefined,
  };
  return source;
}
