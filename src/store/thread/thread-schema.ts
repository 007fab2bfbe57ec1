// Applies migrations to an object's SQLite. Checking whether a thread exists writes nothing, so that an object without a thread stays
// empty. A migration and the new version number are written in one transaction.

import { refuse } from "#contract/error.ts";

import initial from "../../../migrations/thread/0001_initial.sql";
import files from "../../../migrations/thread/0002_files.sql";
import records from "../../../migrations/thread/0003_records.sql";
import type { MeteredStorage } from "../meter.ts";
import type { Migration } from "../migration.ts";
import { sqlStatements } from "../sql-statements.ts";

/**
 * All migrations in order; the thread row's `schema_version` is the number of applied ones. The time of a migration must not depend on
 * the thread's length: it may add a table or a column, but not visit rows.
 */
export const threadMigrations: readonly Migration[] = [
  { name: "0001_initial.sql", sql: initial },
  { name: "0002_files.sql", sql: files },
  { name: "0003_records.sql", sql: records },
];

/** The schema of one object. */
export interface ThreadSchema {
  /** The version after all migrations. */
  readonly latest: number;
  exists(): boolean;
  /** Creates the tables in an empty object; part of the caller's transaction. */
  build(): void;
  /** Applies the missing migrations to an existing object and returns their names. */
  migrate(): string[];
}

/** Creates the schema of a storage. Only tests pass other migrations. */
export function threadSchema(storage: MeteredStorage, steps: readonly Migration[] = threadMigrations): ThreadSchema {
  const run = (step: Migration) => {
    for (const statement of sqlStatements(step.sql)) storage.sql.exec(statement);
  };
  const version = () =>
    Number(storage.sql.exec("SELECT schema_version FROM thread WHERE id = 1").one()["schema_version"]);

  return {
    latest: steps.length,
    exists: () =>
      storage.sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'thread' LIMIT 1").toArray()
        .length > 0,
    build: () => steps.forEach(run),
    migrate() {
      const current = version();
      if (current > steps.length) {
        const versions = `${current}; this deployment knows ${steps.length}`;
        throw refuse("internal", `The thread was written by a newer deployment: its schema version is ${versions}.`);
      }
      const pending = steps.slice(current);
      pending.forEach((step, index) => {
        storage.transactionSync(() => {
          run(step);
          storage.sql.exec("UPDATE thread SET schema_version = ? WHERE id = 1", current + index + 1);
        });
      });
      return pending.map((step) => step.name);
    },
  };
}
