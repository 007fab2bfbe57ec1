// The steps of the catalog's schema, bundled so that the open loopback mode can apply them itself. `wrangler d1 migrations
// apply` reads the same files; the names here are the ones it records.

import initial from "../../../migrations/catalog/0001_initial.sql";
import type { Migration } from "../migration.ts";

/** Every step there is. */
export const catalogMigrations: readonly Migration[] = [{ name: "0001_initial.sql", sql: initial }];
