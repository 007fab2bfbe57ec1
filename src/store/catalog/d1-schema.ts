// Creates the tables of the catalog (the deployment's index of all threads) without `wrangler d1 migrations apply`, for the open loopback
// mode, so that plain `wrangler dev` works. Steps are recorded in wrangler's own table, so that wrangler does not apply them again. A step
// and its record are one transaction. The record is inserted first, and its name is unique: if two requests race, the second transaction
// fails and changes nothing.

import initial from "../../../migrations/catalog/0001_initial.sql";
import waiting from "../../../migrations/catalog/0002_waiting.sql";
import usage from "../../../migrations/catalog/0003_usage.sql";
import type { Migration } from "../migration.ts";
import { sqlStatements } from "../sql-statements.ts";

/** All migrations in order. `wrangler d1 migrations apply` reads the same files and records the same names. */
export const catalogMigrations: readonly Migration[] = [
  { name: "0001_initial.sql", sql: initial },
  { name: "0002_waiting.sql", sql: waiting },
  { name: "0003_usage.sql", sql: usage },
];

// Exactly the table that wrangler creates.
const recordTable = `CREATE TABLE IF NOT EXISTS d1_migrations(
		id         INTEGER PRIMARY KEY AUTOINCREMENT,
		name       TEXT UNIQUE,
		applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

async function appliedNames(database: D1Database): Promise<Set<string>> {
  const { results } = await database.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  return new Set(results.map((row) => row.name));
}

/** Applies the missing steps. Concurrent calls are safe. */
export async function ensureCatalogSchema(
  database: D1Database,
  migrations: readonly Migration[] = catalogMigrations,
): Promise<void> {
  await database.prepare(recordTable).run();
  const applied = await appliedNames(database);
  for (const { name, sql } of migrations) {
    if (applied.has(name)) continue;
    const record = database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name);
    const steps = sqlStatements(sql).map((statement) => database.prepare(statement));
    try {
      await database.batch([record, ...steps]);
    } catch (error) {
      if (!(await appliedNames(database)).has(name)) throw error;
    }
  }
}
