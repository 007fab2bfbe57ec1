// The D1 database of the catalog: found by its id or its name, or created, with its id in the wrangler configuration.

import { CommandError } from "../context.ts";
import { tableOf, tablesOf } from "../init/wrangler-plan.ts";
import { foreignTables, type RemoteDatabase } from "./foreign-tables.ts";
import { requireList, requireSuccess, type RunWrangler } from "./wrangler-run.ts";

/** The database that the configuration names. */
export interface ConfiguredDatabase {
  name: string;
  /** Absent, or a value that is in no account, such as zeros. */
  id: string | undefined;
}

/** What a deploy does about the database. */
export type DatabasePlan =
  | { action: "keep"; id: string }
  /** The account has a database of this name whose id is not in the configuration. `foreign`: its tables that are not the catalog's. */
  | { action: "use"; id: string; foreign: readonly string[] }
  | { action: "create" };

interface ListedDatabase {
  uuid: string;
  name: string;
}

/**
 * Another part of the configuration whose catalog has the same name, or undefined. A database without an id is found by its name, and two
 * Workers with one catalog would list each other's threads.
 */
export function otherOwner(
  config: Readonly<Record<string, unknown>>,
  { name, environment }: { name: string; environment: string | undefined },
): string | undefined {
  const nameIn = (table: unknown): unknown =>
    tablesOf(tableOf(table)["d1_databases"]).find(({ binding }) => binding === "CATALOG")?.["database_name"];
  const environments = Object.entries(tableOf(config["env"]));
  if (environment !== undefined && nameIn(config) === name) return "the root of the file";
  const other = environments.find(([key, table]) => key !== environment && nameIn(table) === name);
  return other && `the environment ${other[0]}`;
}

/** Looks the database up in the account. A database that is only found by its name is examined. */
export async function planDatabase(
  run: RunWrangler,
  { id, name }: ConfiguredDatabase,
  lookup: Omit<RemoteDatabase, "id" | "name">,
): Promise<DatabasePlan> {
  const databases = await listDatabases(run);
  if (id !== undefined && databases.some(({ uuid }) => uuid === id)) return { action: "keep", id };
  const named = databases.find((database) => database.name === name);
  if (named === undefined) return { action: "create" };
  const foreign = await foreignTables(run, { ...lookup, id: named.uuid, name });
  return { action: "use", id: named.uuid, foreign };
}

/** Creates the database and returns its id. */
export async function createDatabase(run: RunWrangler, name: string): Promise<string> {
  await requireSuccess(run, ["d1", "create", name]);
  // The command prints the id as a line of a configuration, so the id is read from the list.
  const created = (await listDatabases(run)).find((database) => database.name === name);
  if (created === undefined) throw new CommandError(`The account does not list the new database ${name}; run again.`);
  return created.uuid;
}

function listDatabases(run: RunWrangler): Promise<ListedDatabase[]> {
  return requireList<ListedDatabase>(run, ["d1", "list", "--json"]);
}

/** Whether an id has the form of a database's id, and is not an example of zeros. */
export const isRealId = (id: string | undefined): boolean =>
  id !== undefined && /^[0-9a-f-]{36}$/i.test(id) && !/^[0-]+$/.test(id);
