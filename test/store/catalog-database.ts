// The tests' own D1 database, emptied: with the catalog's tables, or with none.

import { env } from "cloudflare:workers";

import { ensureCatalogSchema } from "#store/catalog/d1-schema.ts";

interface CatalogEnvironment {
  CATALOG: D1Database;
}

/** The database without any table, as before the first migration. */
export async function databaseWithoutTables(): Promise<D1Database> {
  const { CATALOG } = env as unknown as CatalogEnvironment;
  const { results } = await CATALOG.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name <> 'sqlite_sequence'",
  ).all<{ name: string }>();
  for (const { name } of results) await CATALOG.prepare(`DROP TABLE ${name}`).run();
  return CATALOG;
}

/** The database with empty tables. */
export async function emptyDatabase(): Promise<D1Database> {
  const database = await databaseWithoutTables();
  await ensureCatalogSchema(database);
  return database;
}
