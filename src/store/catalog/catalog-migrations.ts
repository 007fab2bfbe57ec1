// The migrations of the catalog's schema, bundled so that the open loopback mode can apply them. `wrangler d1 migrations apply` reads
// the same files and records the same names.

import initial from "../../../migrations/catalog/0001_initial.sql";
import type { Migration } from "../migration.ts";

/** All migrations in order. */
export const catalogMigrations: readonly Migration[] = [{ name: "0001_initial.sql", sql: initial }];
