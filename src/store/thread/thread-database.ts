// drizzle over the metered storage. Queries are prepared once for each object, because building a query takes longer than running it.

import { drizzle, type DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";

import { refuse } from "#contract/error.ts";

import type { MeteredStorage } from "../meter.ts";

export type ThreadDatabase = DrizzleSqliteDODatabase;

/** Creates the database of an object. */
export function threadDatabase(storage: MeteredStorage): ThreadDatabase {
  return drizzle(storage, { logger: false });
}

/** Throws if the record to update does not exist. That is a bug, and continuing would lose the write. */
export function assertUpdated(changed: object | undefined, what: string): void {
  if (changed === undefined) throw refuse("internal", `There is no ${what} to update.`);
}
