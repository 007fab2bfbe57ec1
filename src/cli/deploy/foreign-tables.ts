// Reads a database of the account that the configuration does not name by its id yet: it is empty, has the catalog's tables, or belongs to
// another program.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { WranglerConfig } from "../doctor/wrangler-package.ts";
import { migrationNames } from "./remote-migrations.ts";
import { requireList, type RunWrangler } from "./wrangler-run.ts";

/** A database of the account, and what is needed to read it. */
export interface RemoteDatabase {
  id: string;
  name: string;
  config: WranglerConfig;
  environment: string | undefined;
  /** The folder of the catalog's migrations. */
  migrations: string;
}

/** Tables of wrangler, of SQLite and of Cloudflare, which are in databases of every program. */
const isCommon = (table: string): boolean => table === "d1_migrations" || /^(?:sqlite|_cf)_/.test(table);

/**
 * The tables that the catalog's migrations do not create; all tables if none of these migrations is recorded. Other programs have migrations
 * with the same names, so the names of migrations alone prove nothing.
 */
export async function foreignTables(run: RunWrangler, database: RemoteDatabase): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "threadhold-lookup-"));
  try {
    const configFile = join(folder, "wrangler.json");
    writeFileSync(configFile, JSON.stringify(lookupConfig(database)));
    const namesFrom = async (query: string): Promise<string[]> => {
      const args = ["d1", "execute", "CATALOG", "--remote", "--json", "--command", query];
      const [rows] = await requireList<{ results: { name: string }[] }>(run, args, { configFile });
      return rows?.results.map(({ name }) => name) ?? [];
    };
    const tables = await namesFrom("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
    const own = tables.filter((table) => !isCommon(table));
    if (own.length === 0 || !tables.includes("d1_migrations")) return own;
    const recorded = await namesFrom("SELECT name FROM d1_migrations ORDER BY id");
    const names = migrationNames(database.migrations);
    if (!recorded.some((name) => names.includes(name))) return own;
    const created = createdTables(names.map((name) => readFileSync(join(database.migrations, name), "utf8")));
    return own.filter((table) => !created.has(table));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A configuration with the id of the database. If a configuration has only the name, wrangler does not read the database. */
function lookupConfig({ id, name, config, environment }: RemoteDatabase): object {
  const { account_id, compliance_region } = config;
  const scope = { d1_databases: [{ binding: "CATALOG", database_name: name, database_id: id }] };
  const environments = environment === undefined ? {} : { env: { [environment]: scope } };
  return { name: "lookup", account_id, compliance_region, ...scope, ...environments };
}

/** The names of the tables that statements of SQL create. */
function createdTables(texts: readonly string[]): Set<string> {
  const statement =
    /\bCREATE\s+(?:VIRTUAL\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?["'`[]?(\w+)|\bRENAME\s+TO\s+["'`[]?(\w+)/gi;
  return new Set(
    texts.flatMap((text) => [...text.matchAll(statement)].map(([, table, renamed]) => table ?? renamed ?? "")),
  );
}
