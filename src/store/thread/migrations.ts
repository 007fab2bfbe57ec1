// The migrations of a thread's schema in order. The thread row's `schema_version` is the number of applied ones. The time of a migration
// must not depend on the thread's length: it may add a table or a column, but not visit rows.

import initial from "../../../migrations/thread/0001_initial.sql";
import files from "../../../migrations/thread/0002_files.sql";
import records from "../../../migrations/thread/0003_records.sql";
import type { Migration } from "../migration.ts";

/** All migrations in order. */
export const threadMigrations: readonly Migration[] = [
  { name: "0001_initial.sql", sql: initial },
  { name: "0002_files.sql", sql: files },
  { name: "0003_records.sql", sql: records },
];
