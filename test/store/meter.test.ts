// The meter compared with real storage: it counts what the platform counts, and misses nothing.

import { expect, test } from "vitest";

import type { MeteredStorage, MeterReading } from "#store/meter.ts";

import { withStorage } from "./bare-storage.ts";
import { refusalOf } from "./thread-store-contract.ts";

const none: MeterReading = { rowsRead: 0, rowsWritten: 0, statements: 0, alarms: 0 };

/** The rows that `work` cost. */
function costOf(storage: MeteredStorage, work: () => unknown): MeterReading {
  const before = storage.meter.snapshot();
  work();
  return storage.meter.since(before);
}

function fill(storage: MeteredStorage): void {
  storage.sql.exec("CREATE TABLE number (n INTEGER PRIMARY KEY)");
  storage.sql.exec("INSERT INTO number VALUES (1), (2), (3), (4), (5)");
}

test("The storage meter counts rows written and read, whichever way a cursor is read", () =>
  withStorage((storage) => {
    fill(storage);
    const insert = (n: number) => storage.sql.exec("INSERT INTO number VALUES (?)", n);
    expect(costOf(storage, () => insert(6))).toEqual({ ...none, rowsRead: 1, rowsWritten: 1, statements: 1 });
    insert(7);
    const query = "SELECT n FROM number ORDER BY n";
    const rowsRead = (work: () => unknown) => costOf(storage, work).rowsRead;
    expect(rowsRead(() => storage.sql.exec(query).toArray())).toBe(7);
    expect(rowsRead(() => [...storage.sql.exec(query)])).toBe(7);
    expect(rowsRead(() => [...storage.sql.exec(query).raw()])).toBe(7);
    expect(rowsRead(() => storage.sql.exec(`${query} LIMIT 1`).one())).toBe(1);
    expect(storage.sql.exec(query).columnNames).toEqual(["n"]);
  }));

test("The storage meter counts the rows of a half-read cursor, and continues to count after a snapshot", () =>
  withStorage((storage) => {
    fill(storage);
    const start = storage.meter.snapshot();
    const cursor = storage.sql.exec("SELECT n FROM number");
    cursor.next();
    const begun = storage.meter.since(start).rowsRead;
    expect(begun).toBe(cursor.rowsRead);
    // The platform reads one row ahead.
    expect(begun).toBe(2);
    expect(cursor.toArray()).toHaveLength(4);
    expect(storage.meter.since(start).rowsRead).toBe(5);
  }));

test("The storage meter counts the rows that a transaction wrote before it was rolled back", () =>
  withStorage((storage) => {
    fill(storage);
    const failing = () =>
      storage.transactionSync(() => {
        storage.sql.exec("INSERT INTO number VALUES (6)");
        throw new Error("no");
      });
    expect(costOf(storage, () => expect(failing).toThrow("no")).rowsWritten).toBe(1);
    expect(storage.sql.exec("SELECT n FROM number").toArray()).toHaveLength(5);
  }));

test("The storage meter counts each key that is read, written or deleted as a row, synchronous or not", () =>
  withStorage(async (storage) => {
    expect(costOf(storage, () => storage.kv.put("a", 1))).toEqual({ ...none, rowsWritten: 1 });
    expect(costOf(storage, () => storage.kv.get("a"))).toEqual({ ...none, rowsRead: 1 });
    expect(costOf(storage, () => [...storage.kv.list()])).toEqual({ ...none, rowsRead: 1 });
    expect(costOf(storage, () => storage.kv.delete("a"))).toEqual({ ...none, rowsWritten: 1 });
    const before = storage.meter.snapshot();
    await storage.put({ a: 1, b: 2 });
    await storage.put("c", 3);
    expect(await storage.get<number>("c")).toBe(3);
    expect((await storage.get(["a", "b"])).size).toBe(2);
    expect((await storage.list()).size).toBe(3);
    expect(await storage.delete(["a", "b"])).toBe(2);
    expect(storage.meter.since(before)).toEqual({ ...none, rowsRead: 6, rowsWritten: 5 });
  }));

test("The storage meter counts an alarm that is set or deleted as a written row", () =>
  withStorage(async (storage) => {
    const before = storage.meter.snapshot();
    await storage.setAlarm(Date.now() + 3_600_000);
    expect(storage.meter.since(before)).toEqual({ ...none, rowsWritten: 1, alarms: 1 });
    expect(await storage.getAlarm()).not.toBeNull();
    await storage.deleteAlarm();
    expect(storage.meter.since(before)).toEqual({ ...none, rowsWritten: 2, alarms: 1 });
  }));

test("The storage meter refuses an asynchronous transaction", () =>
  withStorage((storage) => {
    expect(refusalOf(() => storage.transaction(() => Promise.resolve()))).toBe("internal");
  }));
