// drizzle over the metered storage. Queries are prepared once per object: building one anew costs several times its run.

import { drizzle, type DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";

import { refuse } from "#contract/error.ts";

import type { MeteredStorage } from "../meter.ts";

export type ThreadDatabase = DrizzleSqliteDODatabase;

/** The database of an object. */
export function threadDatabase(storage: MeteredStorage): ThreadDatabase {
  return drizzle(storage, { logger: false });
}

/** Throws where a record that was to be replaced is not there: that is a bug, and going on would lose the write. */
export function mustHaveChanged(changed: object | undefined, what: string): void {
  if (changed === undefined) throw refuse("internal", `There is no ${what} to update.`);
}
