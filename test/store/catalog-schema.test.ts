// The catalog's tables if no migrations were applied: created on first use, recorded as wrangler records them, once.

import { expect, test } from "vitest";

import { createD1Catalog } from "#store/catalog/d1-catalog.ts";
import { catalogMigrations, ensureCatalogSchema } from "#store/catalog/d1-schema.ts";
import type { Migration } from "#store/migration.ts";

import { databaseWithoutTables } from "./catalog-database.ts";
import { entryOf, everyone, waits } from "./catalog-entries.ts";

async function recorded(database: D1Database): Promise<string[]> {
  const { results } = await database.prepare("SELECT * FROM d1_migrations ORDER BY id").all<{ name: string }>();
  return results.map(({ name }) => name);
}

const names = catalogMigrations.map(({ name }) => name);

test("The catalog in open loopback mode creates missing tables on first use, once for all requests", async () => {
  const database = await databaseWithoutTables();
  const catalogs = [1, 2, 3, 4].map(() => createD1Catalog(database, { ensureSchema: true }));
  await Promise.all(catalogs.map((catalog, n) => catalog.put(entryOf(n))));
  expect((await catalogs[0]?.list(everyone))?.items).toHaveLength(4);
  expect(await recorded(database)).toEqual(names);
});

test("Simultaneous Workers create the catalog's tables once", async () => {
  const database = await databaseWithoutTables();
  await Promise.all([1, 2, 3, 4, 5].map(() => ensureCatalogSchema(database)));
  expect(await recorded(database)).toEqual(names);
  await createD1Catalog(database).put(entryOf(1));
  await ensureCatalogSchema(database);
  expect((await createD1Catalog(database).list(everyone)).items).toHaveLength(1);
});

test("Only missing migrations of the catalog are applied, each in one transaction with its record", async () => {
  const database = await databaseWithoutTables();
  await ensureCatalogSchema(database);
  const broken: Migration = {
    name: "9999_broken.sql",
    sql: "CREATE TABLE half (n);\nINSERT INTO nowhere VALUES (1);\n",
  };
  await expect(ensureCatalogSchema(database, [...catalogMigrations, broken])).rejects.toThrow("nowhere");
  expect(await recorded(database)).toEqual(names);
  const mended = { ...broken, sql: "CREATE TABLE half (n);\n" };
  await ensureCatalogSchema(database, [...catalogMigrations, mended]);
  expect(await recorded(database)).toEqual([...names, mended.name]);
});

test("Waiting threads that the first version of the catalog stored are listed as waiting before and after the migration", async () => {
  const database = await databaseWithoutTables();
  await ensureCatalogSchema(database, catalogMigrations.slice(0, 1));
  const catalog = createD1Catalog(database);
  await catalog.put(entryOf(1, waits));
  await catalog.put(entryOf(2));
  const listed = async () =>
    (await catalog.list({ ...everyone, waiting: true, order: "oldest" })).items.map(({ id }) => id);
  // A Worker may run for a moment before the migration is applied.
  expect(await listed()).toEqual([entryOf(1).thread.id]);
  await ensureCatalogSchema(database);
  expect(await recorded(database)).toEqual(names);
  await catalog.put(entryOf(3, waits));
  expect(await listed()).toEqual([entryOf(1).thread.id, entryOf(3).thread.id]);
  await catalog.put(entryOf(1, {}, { version: 2 }));
  expect(await listed()).toEqual([entryOf(3).thread.id]);
});

test("Applied migrations of the catalog are recorded in wrangler's own table", async () => {
  const database = await databaseWithoutTables();
  await ensureCatalogSchema(database);
  const { results } = await database
    .prepare('SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)')
    .bind("d1_migrations")
    .all();
  expect(results).toEqual([
    { name: "id", type: "INTEGER", notnull: 0, dflt_value: null, pk: 1 },
    { name: "name", type: "TEXT", notnull: 0, dflt_value: null, pk: 0 },
    { name: "applied_at", type: "TIMESTAMP", notnull: 1, dflt_value: "CURRENT_TIMESTAMP", pk: 0 },
  ]);
});

test("The names of catalog migrations are in the order of their numbers", () => {
  expect(names.every((name, index) => name.startsWith(String(index + 1).padStart(4, "0")))).toBe(true);
});
