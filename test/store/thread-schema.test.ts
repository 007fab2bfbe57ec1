// The thread's schema: migrations create what the golden file states, completely or not at all.

import { expect, test } from "vitest";

import type { MeteredStorage } from "#store/meter.ts";
import type { Migration } from "#store/migration.ts";
import { sqlStatements } from "#store/sql-statements.ts";
import { createSqliteThreadStore } from "#store/thread/sqlite-thread-store.ts";
import { threadMigrations, threadSchema } from "#store/thread/thread-schema.ts";

import { withStorage } from "./bare-storage.ts";
import { messageRecord, threadRecord } from "./records.ts";
import golden from "./thread-schema.golden.sql";
import { refusalOf } from "./thread-store-contract.ts";

type Made = { type: string; name: string; sql: string };

/** Every table in the storage but the platform's own. */
function made(storage: MeteredStorage): Made[] {
  return storage.sql
    .exec<Made>("SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\' ORDER BY name")
    .toArray();
}

function version(storage: MeteredStorage): unknown {
  return storage.sql.exec("SELECT schema_version FROM thread").one()["schema_version"];
}

test("A read in an object without a thread creates no table, row or alarm", () =>
  withStorage(async (storage) => {
    const before = storage.meter.snapshot();
    const store = createSqliteThreadStore(storage);
    expect(store.exists()).toBe(false);
    expect(store.readThread()).toBeNull();
    expect(storage.meter.since(before).rowsWritten).toBe(0);
    expect(storage.sql.exec("SELECT name FROM sqlite_master").toArray()).toEqual([]);
    expect(await storage.getAlarm()).toBeNull();
  }));

test("A destroyed object holds no table, row or alarm", () =>
  withStorage(async (storage) => {
    const store = createSqliteThreadStore(storage);
    store.create(threadRecord());
    await storage.setAlarm(Date.now() + 3_600_000);
    await store.destroy();
    expect(made(storage)).toEqual([]);
    expect(await storage.getAlarm()).toBeNull();
  }));

test("Migrations create the tables of the golden file and no index, and no table with a text or composite key has a rowid", () =>
  withStorage((storage) => {
    createSqliteThreadStore(storage).create(threadRecord());
    const tables = made(storage);
    expect(`${tables.map(({ sql }) => `${sql};`).join("\n\n")}\n`).toBe(golden);
    expect(tables.every(({ type }) => type === "table")).toBe(true);
    const keyed = tables.filter(({ sql }) => /TEXT NOT NULL PRIMARY KEY|PRIMARY KEY \(/.test(sql));
    expect(keyed.map(({ sql }) => sql.endsWith("WITHOUT ROWID"))).toEqual(keyed.map(() => true));
    expect(keyed.length).toBeGreaterThan(5);
  }));

/** The existing steps, and those of a test after them. */
const latest = threadMigrations.length;
const addColumn: Migration = { name: "9001_add.sql", sql: "ALTER TABLE run ADD COLUMN extra TEXT;\n" };
const addTable: Migration = {
  name: "9002_table.sql",
  sql: "-- a table\nCREATE TABLE more (n INTEGER);\nINSERT INTO more VALUES (1);\n",
};

test("Pending schema migrations of a thread run once and in order, and the thread then has the newest schema version", () =>
  withStorage((storage) => {
    createSqliteThreadStore(storage).create(threadRecord());
    expect(version(storage)).toBe(latest);
    const steps = [...threadMigrations, addColumn, addTable];
    expect(threadSchema(storage, steps).migrate()).toEqual([addColumn.name, addTable.name]);
    expect(version(storage)).toBe(latest + 2);
    expect(threadSchema(storage, steps).migrate()).toEqual([]);
    expect(storage.sql.exec("SELECT * FROM more").toArray()).toHaveLength(1);
    expect(createSqliteThreadStore(storage).readThread()).toEqual(threadRecord());
  }));

test("A failed schema migration changes nothing, and the thread keeps the schema version of the migration before it", () =>
  withStorage((storage) => {
    createSqliteThreadStore(storage).create(threadRecord());
    const broken = { name: "9002_broken.sql", sql: "CREATE TABLE half (n);\nINSERT INTO nowhere VALUES (1);\n" };
    expect(() => threadSchema(storage, [...threadMigrations, addColumn, broken]).migrate()).toThrow("nowhere");
    expect(version(storage)).toBe(latest + 1);
    expect(made(storage).map(({ name }) => name)).not.toContain("half");
  }));

test("A thread whose schema version is newer than the code is refused and not changed", () =>
  withStorage((storage) => {
    createSqliteThreadStore(storage).create(threadRecord());
    threadSchema(storage, [...threadMigrations, addColumn]).migrate();
    expect(refusalOf(() => createSqliteThreadStore(storage).migrate())).toBe("internal");
    expect(version(storage)).toBe(latest + 1);
  }));

test("A schema migration of a thread with 2,000 messages reads at most 20 rows and writes at most 5 rows more than one of a thread without messages", () =>
  withStorage((storage) => {
    const store = createSqliteThreadStore(storage);
    store.create(threadRecord());
    const before = storage.meter.snapshot();
    threadSchema(storage, [...threadMigrations, addColumn]).migrate();
    const short = storage.meter.since(before);
    store.transaction(() => {
      for (let n = 1; n <= 2000; n += 1) store.insertMessage(messageRecord(n));
    });
    const filled = storage.meter.snapshot();
    threadSchema(storage, [...threadMigrations, addColumn, addTable]).migrate();
    const long = storage.meter.since(filled);
    expect(long.rowsRead).toBeLessThanOrEqual(short.rowsRead + 20);
    expect(long.rowsWritten).toBeLessThanOrEqual(short.rowsWritten + 5);
  }));

test("The names of schema migrations begin with consecutive numbers, and every migration has SQL statements", () => {
  const names = threadMigrations.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)].sort());
  expect(names.every((name, index) => name.startsWith(String(index + 1).padStart(4, "0")))).toBe(true);
  expect(threadMigrations.every(({ sql }) => sqlStatements(sql).length > 0)).toBe(true);
  expect(sqlStatements("-- one;\nA (\n  ';x' -- no\n);\n\nB;  \n")).toEqual(["A (\n  ';x' -- no\n)", "B"]);
});
