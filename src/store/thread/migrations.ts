// The steps of a thread's schema, in order; the thread row's `schema_version` is how many of them were run. A step costs
// the same whatever the thread's length: it may add a table or a column, never walk the rows.

import initial from "../../../migrations/thread/0001_initial.sql";
import files from "../../../migrations/thread/0002_files.sql";
import type { Migration } from "../migration.ts";

/** Every step there is. */
export const threadMigrations: readonly Migration[] = [
  { name: "0001_initial.sql", sql: initial },
  { name: "0002_files.sql", sql: files },
];
