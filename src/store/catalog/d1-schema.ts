// Makes the catalog's tables where nobody ran `wrangler d1 migrations apply`: the open loopback mode, so that a plain
// `wrangler dev` works. Steps are recorded in wrangler's own table, so that it finds them done. A step and its record are
// one transaction that begins with the record, whose name is unique: of two requests that race, one step fails and is done.

import type { Migration } from "../migration.ts";
import { sqlStatements } from "../sql-statements.ts";
import { catalogMigrations } from "./migrations.ts";

// Word for word the table that wrangler makes.
const recordTable = `CREATE TABLE IF NOT EXISTS d1_migrations(
		id         INTEGER PRIMARY KEY AUTOINCREMENT,
		name       TEXT UNIQUE,
		applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

async function appliedNames(database: D1Database): Promise<Set<string>> {
  const { results } = await database.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  return new Set(results.map((row) => row.name));
}

/** Applies the steps that are missing. Safe when several requests do it at once. */
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
