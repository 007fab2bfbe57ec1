// Yields a snapshot of a thread as lines of an export. Rows are read a few at a time while the thread continues; the snapshot keeps the old
// versions of rows that change before they are read.

import type { ArchiveLine } from "#core/archive/archive-line.ts";
import type { ArchivedThread, ArchivedLog, ArchivedMessage, ArchivedRun } from "#core/archive/archive-record.ts";
import { carriedOf, logPolicies, messagePolicies, runPolicies, threadPolicies } from "#core/archive/export-policy.ts";
import type { MessageRecord, LogRecord, StoredEvent, ThreadRecord } from "#core/record/record.ts";
import type { QueuedInput, RunRecord } from "#core/record/run-record.ts";
import type { BranchRecord, MessagePosition } from "#store/thread-lifecycle.ts";

import type { LiveThread } from "../live/live-thread.ts";
import type { RowSnapshot } from "../live/row-snapshot.ts";

/** The number of rows that one query reads; each may have nearly 2 MB. */
const page = 8;

/** The parts of the state that are read when the export begins. */
export interface Snapshot {
  thread: ArchivedThread;
  /** Number of the last event that was sent. */
  seq: number;
  branches: BranchRecord[];
  /** The event that only the thread's row has. */
  branchEvent: StoredEvent | null;
  /** Keeps the old versions of all other rows. The caller of `takeSnapshot` has to release it. */
  rows: RowSnapshot;
}

export function takeSnapshot({ record, store, lastSeq, rowSnapshots }: LiveThread): Snapshot {
  const { active_run_id: active } = record;
  const active_run_id = active === null || store.run(active) === null ? null : active;
  // A queued run that was stopped stays in the queue until its turn comes, and is not exported as queued.
  const run_ids = record.queue.run_ids.filter((id) => store.run(id)?.status === "queued");
  return {
    thread: archivedThread({ ...record, active_run_id, queue: { ...record.queue, run_ids } }, lastSeq),
    seq: lastSeq,
    branches: parentsFirst(store.branches()),
    branchEvent: record.branch_event ?? null,
    rows: rowSnapshots.take(record),
  };
}

/** The lines of an export, without those of files. Throws if the thread is deleted in the meantime, or if too many rows change. */
export function* snapshotLines({ store }: LiveThread, snapshot: Snapshot): Generator<ArchiveLine> {
  yield { type: "thread", thread: snapshot.thread };
  for (const branch of snapshot.branches) yield { type: "branch", branch: archivedBranch(branch) };
  yield* runLines(store, snapshot);
  yield* messageLines(store, snapshot);
  yield* logLines(store, snapshot);
  yield* eventLines(store, snapshot);
}

/** The events with a row of their own, and the one in the thread's row, by their numbers. */
function* eventLines(store: Store, { seq, branchEvent }: Snapshot): Generator<ArchiveLine> {
  let waiting = branchEvent;
  for (let after = 0; ;) {
    const events = store.eventPage({ after, limit: page });
    for (const event of events) {
      if (event.seq > seq) continue;
      if (waiting !== null && waiting.seq < event.seq) yield { type: "event", event: waiting };
      // The row of a run that began meanwhile may not take the event: then it has a row of its own.
      if (waiting !== null && waiting.seq <= event.seq) waiting = null;
      yield { type: "event", event };
    }
    after = events.at(-1)?.seq ?? after;
    if (events.length < page || after > seq) break;
  }
  if (waiting !== null) yield { type: "event", event: waiting };
}

type Store = LiveThread["store"];

function* runLines(store: Store, snapshot: Snapshot): Generator<ArchiveLine> {
  for (const run of snapshotRuns(store, snapshot)) yield { type: "run", run: archivedRun(run) };
}

/** The runs of a snapshot, by their ids. */
export function* snapshotRuns(store: Store, { rows }: Pick<Snapshot, "rows">): Generator<RunRecord> {
  for (let beyond: string | undefined; ;) {
    const runs = store.runs({ order: "asc", limit: page, beyond });
    for (const run of runs) {
      const before = rows.earlierRun(run.id);
      if (before !== null) yield before ?? run;
    }
    beyond = runs.at(-1)?.id;
    if (runs.length < page) return;
  }
}

function* messageLines(store: Store, snapshot: Snapshot): Generator<ArchiveLine> {
  for (const message of snapshotMessages(store, snapshot)) yield { type: "message", message: archivedMessage(message) };
}

/** The messages of a snapshot, by branch and position. */
export function* snapshotMessages(store: Store, snapshot: Pick<Snapshot, "rows">): Generator<MessageRecord> {
  for (let after: MessagePosition | null = null; ;) {
    const rows = store.everyMessage({ after, limit: page });
    const last = rows.length < page ? null : positionOf(rows.at(-1));
    yield* pageOfSnapshot(rows, snapshot.rows, { after, last });
    if (last === null) return;
    after = last;
  }
}

/** A page of messages as it was when the snapshot was taken: without later messages, with old versions of changed and deleted ones. */
function pageOfSnapshot(
  rows: readonly MessageRecord[],
  moment: RowSnapshot,
  { after, last }: { after: MessagePosition | null; last: MessagePosition | null },
): MessageRecord[] {
  const were = rows.flatMap((row) => {
    const before = moment.earlierMessage(row.id);
    return before === null ? [] : [before ?? row];
  });
  const there = new Set(rows.map(({ id }) => id));
  // A message whose deletion was rolled back is still stored, so its kept version is left out.
  const gone = moment.deletedBetween(after, last).filter(({ id }) => !there.has(id));
  if (gone.length === 0) return were;
  return [...were, ...gone].sort((one, other) =>
    one.branch === other.branch ? order(one.position, other.position) : order(one.branch, other.branch),
  );
}

function order(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function positionOf(message: MessageRecord | undefined): MessagePosition | null {
  return message === undefined ? null : { branch: message.branch, position: message.position };
}

function* logLines(store: Store, { rows }: Snapshot): Generator<ArchiveLine> {
  for (let beyond: string | undefined; ;) {
    const logs = store.logs({ order: "asc", limit: page, beyond });
    for (const log of logs) if (!rows.isNewLog(log.id)) yield { type: "log", log: archivedLog(log) };
    beyond = logs.at(-1)?.id;
    if (logs.length < page) return;
  }
}

function archivedBranch({ id, parent_branch, fork_position, created_at }: BranchRecord) {
  return { id, parent_branch, fork_position, created_at };
}

/** Sorts branches so that each one comes after the branch that it forked from. */
function parentsFirst(branches: readonly BranchRecord[]): BranchRecord[] {
  const sorted: BranchRecord[] = [];
  const add = (parent: string | null) => {
    for (const branch of branches.filter(({ parent_branch }) => parent_branch === parent)) {
      sorted.push(branch);
      add(branch.id);
    }
  };
  add(null);
  return sorted;
}

/**
 * The thread in its exported form: the fields that `export-policy.ts` marks as `carried`. `lastSeq` is the number of the last event that
 * was sent.
 */
function archivedThread(record: Readonly<ThreadRecord>, lastSeq: number): ArchivedThread {
  const { run_ids, paused, overtaker } = record.queue;
  const queue = { queue: run_ids, ...(overtaker === undefined ? {} : { overtaker }), held: paused };
  // The exported thread has the queue's fields at its top level, in the position of the record's `queue`.
  const fields = Object.entries(carriedOf(record, threadPolicies)).flatMap<[string, unknown]>((entry) =>
    entry[0] === "queue" ? Object.entries(queue) : [entry],
  );
  return { ...(Object.fromEntries(fields) as ArchivedThread), last_seq: lastSeq };
}

/** A message in its exported form. */
function archivedMessage(record: MessageRecord): ArchivedMessage {
  const { awaits } = record;
  // `awaits` is not exported. An empty `answered` marks a call that waited for a client or a person and therefore has not run.
  const waits = awaits !== undefined && awaits.kind !== "child" && record.answered === undefined;
  return carriedOf(waits ? { ...record, answered: "" } : record, messagePolicies) as ArchivedMessage;
}

/** A run in its exported form. */
function archivedRun(record: RunRecord): ArchivedRun {
  const { queued, ...kept } = carriedOf(record, runPolicies);
  const calls = queued?.calls;
  return {
    ...kept,
    ...(calls === undefined
      ? {}
      : { calls: calls.map((call) => ({ id: call.id, name: call.name, arguments: call.arguments })) }),
    queued: queued === null ? null : archivedInput(queued),
  } as ArchivedRun;
}

function archivedInput({ message, branch }: QueuedInput): NonNullable<ArchivedRun["queued"]> {
  return {
    message: message === null ? null : archivedMessage(message),
    ...(branch === undefined ? {} : { branch }),
  };
}

/** A log row in its exported form. */
function archivedLog(record: LogRecord): ArchivedLog {
  return carriedOf(record, logPolicies);
}
