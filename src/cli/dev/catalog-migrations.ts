// Applies the catalog's D1 migrations to a local state folder. `wrangler d1 migrations apply` takes more than a second even if there is
// nothing to apply, so a hash of the applied files is stored next to the state.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import type { WranglerProject } from "../doctor/wrangler-package.ts";

const recordName = "threadhold-migrations";

/** The table in which wrangler records applied migrations, unless the configuration names another one. */
const recordTable = "d1_migrations";

/** The folder of local databases in a state folder. */
export const localDatabases = "v3/d1";

function migrationNames(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .toSorted();
}

/** The hash of the migrations in a folder; undefined if there are none. */
export function migrationsHash(folder: string): string | undefined {
  const names = migrationNames(folder);
  if (names.length === 0) return undefined;
  const hash = createHash("sha256");
  for (const name of names)
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(folder, name)))
      .update("\0");
  return hash.digest("hex");
}

/** Whether these migrations are recorded as applied and the database still exists. */
export function areMigrationsRecorded(stateFolder: string, hash: string): boolean {
  const record = join(stateFolder, recordName);
  if (!existsSync(join(stateFolder, localDatabases)) || !existsSync(record)) return false;
  return readFileSync(record, "utf8").trim() === hash;
}

type Configured = Pick<WranglerProject, "file" | "config">;

const catalogOf = ({ config }: Configured) => config.d1_databases.find(({ binding }) => binding === "CATALOG");

/** The folder of a project's catalog migrations. */
export function migrationsFolder(project: Configured): string {
  return resolve(dirname(project.file), catalogOf(project)?.migrations_dir ?? "migrations");
}

/**
 * Applies the migrations of a project's catalog that are not applied yet.
 *
 * @param stateFolder absolute
 */
export async function applyCatalogMigrations(
  project: WranglerProject,
  stateFolder: string,
  env: NodeJS.ProcessEnv,
): Promise<CommandResult> {
  const hash = migrationsHash(migrationsFolder(project));
  if (hash === undefined || areMigrationsRecorded(stateFolder, hash)) return { code: 0, output: "" };
  mkdirSync(stateFolder, { recursive: true });
  const created = await createCatalog(project, stateFolder, env);
  const result = created ?? (await runD1(project, ["migrations", "apply", ...localCatalog(stateFolder)], env));
  if (result.code === 0) writeFileSync(join(stateFolder, recordName), `${hash}\n`);
  return result;
}

/**
 * Applies all migrations to a new database in one transaction and records them as wrangler does. Wrangler itself starts one runtime for each
 * migration, and two more to create and read the table of records. Undefined if nothing was applied, because there are local databases
 * already or a migration needs a transaction of its own or fails; wrangler then applies the migrations one by one.
 */
async function createCatalog(
  project: WranglerProject,
  stateFolder: string,
  env: NodeJS.ProcessEnv,
): Promise<CommandResult | undefined> {
  const { migrations_table: table = recordTable } = catalogOf(project) ?? {};
  if (existsSync(join(stateFolder, localDatabases)) || table !== recordTable) return undefined;
  const folder = migrationsFolder(project);
  const migrations = migrationNames(folder)
    .toSorted((one, other) => numberOf(one) - numberOf(other) || 0)
    .map((name) => ({ name, sql: readFileSync(join(folder, name), "utf8") }));
  // A PRAGMA such as defer_foreign_keys lasts until the end of the transaction.
  if (migrations.some(({ sql }) => /\bpragma\b/i.test(sql))) return undefined;
  const file = join(stateFolder, "threadhold-catalog.sql");
  writeFileSync(file, [recordTableSql, ...migrations.map(recorded)].join("\n"));
  try {
    const result = await runD1(project, ["execute", ...localCatalog(stateFolder), "--file", file, "--yes"], env);
    return result.code === 0 ? result : undefined;
  } finally {
    rmSync(file);
  }
}

const recordTableSql = `CREATE TABLE ${recordTable} (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
);`;

/** The number that a migration's name begins with, by which wrangler orders them. */
const numberOf = (name: string): number => Number.parseInt(name, 10);

/** The SQL of a migration and of its record. The empty comment ends a comment that the migration leaves open. */
function recorded({ name, sql }: { name: string; sql: string }): string {
  return `${sql}\n/**/\nINSERT INTO ${recordTable} (name) VALUES ('${name.replaceAll("'", "''")}');`;
}

/** The names of the migrations that wrangler has not applied to a local state folder; undefined if wrangler fails. */
export async function pendingMigrations(
  project: WranglerProject,
  stateFolder: string,
  env: NodeJS.ProcessEnv,
): Promise<string[] | undefined> {
  const { code, output } = await runD1(project, ["migrations", "list", ...localCatalog(stateFolder)], env);
  return code === 0 ? [...output.matchAll(/(?<!\S)\S+\.sql\b/g)].map(([name]) => name) : undefined;
}

const localCatalog = (stateFolder: string): string[] => ["CATALOG", "--local", "--persist-to", stateFolder];

interface CommandResult {
  code: number;
  output: string;
}

function runD1(
  { wrangler, file, environment }: WranglerProject,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<CommandResult> {
  const named = environment === undefined ? [] : ["--env", environment];
  return new Promise((done) => {
    const command = [wrangler.program, "d1", ...args, "--config", file, ...named];
    const child = execFile(
      process.execPath,
      command,
      { cwd: dirname(file), env, maxBuffer: 1 << 24 },
      (error, stdout, stderr) => {
        const output = `${stdout}${stderr}`;
        if (error === null) done({ code: 0, output });
        else done({ code: typeof error.code === "number" ? error.code : 1, output: output || error.message });
      },
    );
    // Wrangler applies migrations without a question if it has no terminal.
    child.stdin?.end();
  });
}
