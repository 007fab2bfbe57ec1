// drizzle over the metered storage. A query is prepared once for each object, because building it takes longer than running it.

import { drizzle, type DrizzleSqliteDODatabase } from "drizzle-orm/durable-sqlite";

import { refuse } from "#contract/error.ts";

import type { MeteredStorage } from "../meter.ts";

export type ThreadDatabase = DrizzleSqliteDODatabase;

/** Creates the database of an object. */
export function threadDatabase(storage: MeteredStorage): ThreadDatabase {
  return drizzle(storage, { logger: false });
}

/** Builders of queries, by name. */
type QueryBuilders = Record<string, () => { prepare: () => unknown }>;

/** The prepared queries of builders. */
type PreparedQueries<Builders extends QueryBuilders> = {
  readonly [Name in keyof Builders]: ReturnType<ReturnType<Builders[Name]>["prepare"]>;
};

/** Prepares each query when it is first used, because an object uses only some of them, and to prepare all takes half a millisecond. */
export function prepared<Builders extends QueryBuilders>(builders: Builders): PreparedQueries<Builders> {
  const queries = {};
  for (const [name, build] of Object.entries(builders)) {
    const get = (): unknown => {
      const value = build().prepare();
      Object.defineProperty(queries, name, { value });
      return value;
    };
    Object.defineProperty(queries, name, { get, configurable: true });
  }
  return queries as PreparedQueries<Builders>;
}

/** Throws if the record to update does not exist. That is a bug, and continuing would lose the write. */
export function assertUpdated(changed: object | undefined, what: string): void {
  if (changed === undefined) throw refuse("internal", `There is no ${what} to update.`);
}
