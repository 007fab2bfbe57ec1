// The rows that the thread's store costs, counted by the meter on real storage. These numbers decide the bill.

import { describe, expect, test } from "vitest";

import type { MeteredStorage } from "#store/meter.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";
import { createSqliteThreadStore } from "#store/thread/sqlite-thread-store.ts";

import { withStorage } from "./bare-storage.ts";
import {
  eventRecord,
  idOf,
  keyRecord,
  logRecord,
  messageRecord,
  endedRun,
  runRecord,
  threadRecord,
} from "./records.ts";

/** Measures what work costs. */
interface Costs {
  written: (work: () => unknown) => number;
  read: (work: () => unknown) => number;
}

function costsOf(storage: MeteredStorage): Costs {
  const cost = (work: () => unknown) => {
    const before = storage.meter.snapshot();
    work();
    return storage.meter.since(before);
  };
  return { written: (work) => cost(work).rowsWritten, read: (work) => cost(work).rowsRead };
}

function withThread(work: (store: ManagedThreadStore, costs: Costs, storage: MeteredStorage) => void): Promise<void> {
  return withStorage((storage) => {
    const store = createSqliteThreadStore(storage);
    store.create(threadRecord());
    work(store, costsOf(storage), storage);
  });
}

/** A thread with this many messages. */
function fill(store: ManagedThreadStore, count: number): void {
  store.transaction(() => {
    for (let n = 1; n <= count; n += 1) store.insertMessage(messageRecord(n, { run_id: idOf(n) }));
  });
}

describe("rows written by the thread store", () => {
  test("A write of a record writes one row, and an insertion or deletion of a message whose position is not its id writes two", () =>
    withThread((store, { written }) => {
      expect(written(() => store.writeThread(threadRecord({ title: "t" })))).toBe(1);
      expect(written(() => store.insertMessage(messageRecord(1)))).toBe(1);
      expect(written(() => store.updateMessage(messageRecord(1, { silent: true })))).toBe(1);
      expect(written(() => store.insertMessage(messageRecord(2, { position: idOf(5) })))).toBe(2);
      expect(written(() => store.updateMessage(messageRecord(2, { position: idOf(5), name: "n" })))).toBe(1);
      expect(written(() => store.insertRun(runRecord(1)))).toBe(1);
      expect(written(() => store.updateRun(runRecord(1, { steps: 2 })))).toBe(1);
      expect(written(() => store.insertLog(logRecord(1)))).toBe(1);
      expect(written(() => store.insertEvent(eventRecord(1)))).toBe(1);
      expect(written(() => store.deleteEvent(1))).toBe(1);
      expect(written(() => store.insertKey(keyRecord(1)))).toBe(1);
      const branch = { id: "b", parent_branch: "main", fork_position: idOf(1), created_at: 1 };
      expect(written(() => store.insertBranch(branch))).toBe(1);
      expect(written(() => store.deleteMessage(messageRecord(1)))).toBe(1);
      expect(written(() => store.deleteMessage(messageRecord(2, { position: idOf(5) })))).toBe(2);
      expect(written(() => store.deleteRun(idOf(1)))).toBe(1);
    }));

  test("An inserted message, an updated message and a change of the thread each write one row in a thread with a long history", () =>
    withThread((store, { written }) => {
      fill(store, 5000);
      expect(written(() => store.insertMessage(messageRecord(6000)))).toBe(1);
      expect(written(() => store.updateMessage(messageRecord(2500, { name: "n" })))).toBe(1);
      expect(written(() => store.writeThread(threadRecord()))).toBe(1);
    }));

  test("The creation of a thread writes at most 24 rows, those of its tables included", () =>
    withStorage((storage) => {
      const store = createSqliteThreadStore(storage);
      const rows = costsOf(storage).written(() => store.create(threadRecord()));
      expect(rows).toBeLessThanOrEqual(24);
    }));
});

describe("rows read by the thread store", () => {
  test("Reads of a thread of 10,000 messages read few more rows than they return", () =>
    withThread((store, { read }, storage) => {
      fill(store, 10_000);
      store.insertMessage(messageRecord(10_001, { position: idOf(10_005) }));
      // A store as it is after a wake: without anything in memory.
      const woken = createSqliteThreadStore(storage);
      const page = { branch: "main", limit: 50, includeSilent: true } as const;
      expect(read(() => woken.readThread())).toBeLessThanOrEqual(20);
      expect(read(() => woken.readThread())).toBe(1);
      expect(read(() => woken.messages({ ...page, order: "asc" }))).toBeLessThanOrEqual(70);
      expect(read(() => woken.messages({ ...page, order: "desc" }))).toBeLessThanOrEqual(70);
      expect(read(() => woken.messages({ ...page, order: "asc", beyond: idOf(5000) }))).toBeLessThanOrEqual(70);
      expect(read(() => woken.messages({ ...page, order: "desc", beyond: idOf(5000) }))).toBeLessThanOrEqual(70);
      expect(woken.messages({ ...page, order: "desc", beyond: idOf(5000) })[0]?.id).toBe(idOf(4999));
      expect(read(() => woken.messagesAfter("main", idOf(9_990)))).toBeLessThanOrEqual(11 + 20);
      expect(read(() => woken.message(idOf(5000)))).toBeLessThanOrEqual(5);
      expect(read(() => woken.message(idOf(10_001)))).toBeLessThanOrEqual(5);
      expect(read(() => woken.message(idOf(77_777)))).toBeLessThanOrEqual(5);
    }));

  test("A page of messages from several branches reads no more rows than one from a single branch", () =>
    withThread((store, { read }) => {
      fill(store, 3000);
      store.insertBranch({ id: "b", parent_branch: "main", fork_position: idOf(1500), created_at: 1 });
      store.insertMessage(messageRecord(3001, { branch: "b" }));
      const page = { branch: "b", limit: 50, includeSilent: true } as const;
      expect(read(() => store.messages({ ...page, order: "desc" }))).toBeLessThanOrEqual(70);
      expect(read(() => store.messages({ ...page, order: "asc", beyond: idOf(1490) }))).toBeLessThanOrEqual(11 + 20);
      expect(read(() => store.message(idOf(3001)))).toBeLessThanOrEqual(5);
    }));

  test("Pages of runs and logs, and single records, read few more rows than they return", () =>
    withThread((store, { read }) => {
      store.transaction(() => {
        for (let n = 1; n <= 1000; n += 1) {
          store.insertRun(endedRun(n));
          store.insertLog(logRecord(n));
        }
      });
      expect(read(() => store.runs({ order: "desc", limit: 50 }))).toBeLessThanOrEqual(52);
      expect(read(() => store.runs({ order: "asc", limit: 50, beyond: idOf(500) }))).toBeLessThanOrEqual(52);
      expect(read(() => store.run(idOf(500)))).toBe(1);
      expect(read(() => store.logs({ order: "asc", limit: 50, beyond: idOf(500) }))).toBeLessThanOrEqual(52);
      expect(read(() => store.log(idOf(500)))).toBe(1);
    }));
});
