// The thread's store in memory, for tests. It has the same contract as the one on SQLite, transactions included; one
// suite runs over both.

import type { LogQuery, RowQuery } from "#core/ports/thread-store.ts";
import type { KeyRecord, LogRecord, StoredEvent, ThreadRecord } from "#core/record/record.ts";
import type { RunRecord } from "#core/record/run-record.ts";
import { branchPath } from "#store/branch-path.ts";
import type { BranchRecord, ManagedThreadStore } from "#store/thread-lifecycle.ts";

import { MemoryMessages } from "./memory-messages.ts";
import { SortedRows, type KeyWindow } from "./sorted-rows.ts";
import { UndoLog } from "./undo-log.ts";

function tables() {
  const undo = new UndoLog();
  const branches = new SortedRows<string, BranchRecord>("branch", undo);
  return {
    undo,
    thread: new SortedRows<number, ThreadRecord>("thread", undo),
    branches,
    messages: new MemoryMessages(undo, (id) => branchPath(id, (branch) => branches.find(branch))),
    runs: new SortedRows<string, RunRecord>("run", undo),
    logs: new SortedRows<string, LogRecord>("log", undo),
    events: new SortedRows<number, StoredEvent>("event", undo),
    keys: new SortedRows<string, KeyRecord>("key", undo),
  };
}

function windowOf({ order, beyond }: RowQuery): KeyWindow<string> {
  return order === "asc" ? { order, above: beyond } : { order, below: beyond };
}

function matches(log: LogRecord, { type, runId }: LogQuery): boolean {
  return (type === undefined || log.type === type) && (runId === undefined || log.run_id === runId);
}

/** A store of one thread, empty until `create`. */
export function createMemoryThreadStore(): ManagedThreadStore {
  let rows = tables();
  let importing: string | null = null;
  const transaction = <T>(work: () => T): T => rows.undo.transaction(work);

  return {
    transaction,
    exists: () => importing !== null || rows.thread.size > 0,
    create: (record) =>
      transaction(() => {
        rows.thread.insert(1, record);
        const { branch: id, created_at } = record;
        rows.branches.insert(id, { id, parent_branch: null, fork_position: null, created_at });
      }),
    beginImport: (threadId) => {
      importing = threadId;
      rows.undo.note(() => (importing = null));
    },
    importing: () => importing,
    migrate: () => [],
    destroy: () => {
      rows = tables();
      importing = null;
      return Promise.resolve();
    },

    readThread: () => rows.thread.find(1),
    writeThread: (record) =>
      transaction(() => {
        const mark = importing;
        if (mark === null) rows.thread.update(1, record);
        else rows.thread.insert(1, record);
        importing = null;
        rows.undo.note(() => (importing = mark));
      }),

    insertBranch: (branch) => rows.branches.insert(branch.id, branch),
    branch: (id) => rows.branches.find(id),
    branches: () => [...rows.branches.walk({ order: "asc" })],

    insertMessage: (message) => rows.messages.insert(message),
    updateMessage: (message) => rows.messages.update(message),
    deleteMessage: (message) => rows.messages.delete(message),
    message: (id) => rows.messages.find(id),
    messages: (query) => rows.messages.page(query),
    messagesAfter: (branch, position) => rows.messages.after(branch, position),
    timeline: (query) => rows.messages.timeline(query),
    countMessages: (range) => rows.messages.count(range),
    everyMessage: (page) => rows.messages.every(page),

    insertRun: (run) => rows.runs.insert(run.id, run),
    updateRun: (run) => rows.runs.update(run.id, run),
    deleteRun: (id) => rows.runs.delete(id),
    run: (id) => rows.runs.find(id),
    runs: (query) => rows.runs.page(windowOf(query), query.limit, () => true),

    insertLog: (log) => rows.logs.insert(log.id, log),
    log: (id) => rows.logs.find(id),
    logs: (query) => rows.logs.page(windowOf(query), query.limit, (log) => matches(log, query)),

    insertEvent: (event) => rows.events.insert(event.seq, event),
    deleteEvent: (seq) => rows.events.delete(seq),
    eventsAfter: (seq, limit) => rows.events.page({ order: "asc", above: seq }, limit, () => true),
    eventPage: ({ after, limit }) => rows.events.page({ order: "asc", above: after }, limit, () => true),

    key: (key) => rows.keys.find(key),
    insertKey: (record) => rows.keys.insert(record.key, record),
  };
}
