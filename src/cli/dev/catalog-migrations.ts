// Applies the catalog's D1 migrations to a local state folder. `wrangler d1 migrations apply` takes more than a second even if there is
// nothing to apply, so a hash of the applied files is stored next to the state.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import type { WranglerProject } from "../doctor/wrangler-package.ts";

const recordName = "threadhold-migrations";

/** The hash of the migrations in a folder; undefined if there are none. */
export function migrationsHash(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const files = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  if (files.length === 0) return undefined;
  const hash = createHash("sha256");
  for (const name of files.toSorted())
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(folder, name)))
      .update("\0");
  return hash.digest("hex");
}

/** Whether these migrations are recorded as applied and the database still exists. */
export function areMigrationsRecorded(stateFolder: string, hash: string): boolean {
  const record = join(stateFolder, recordName);
  if (!existsSync(join(stateFolder, "v3/d1")) || !existsSync(record)) return false;
  return readFileSync(record, "utf8").trim() === hash;
}

/** The folder of a project's catalog migrations. */
export function migrationsFolder({ file, config }: Pick<WranglerProject, "file" | "config">): string {
  const catalog = config.d1_databases.find(({ binding }) => binding === "CATALOG");
  return resolve(dirname(file), catalog?.migrations_dir ?? "migrations");
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
): Promise<{ code: number; output: string }> {
  const hash = migrationsHash(migrationsFolder(project));
  if (hash === undefined || areMigrationsRecorded(stateFolder, hash)) return { code: 0, output: "" };
  mkdirSync(stateFolder, { recursive: true });
  const result = await runMigrations(project, ["apply", "CATALOG", "--local", "--persist-to", stateFolder], env);
  if (result.code === 0) writeFileSync(join(stateFolder, recordName), `${hash}\n`);
  return result;
}

/** The names of the migrations that wrangler has not applied to a local state folder; undefined if wrangler fails. */
export async function pendingMigrations(
  project: WranglerProject,
  stateFolder: string,
  env: NodeJS.ProcessEnv,
): Promise<string[] | undefined> {
  const { code, output } = await runMigrations(
    project,
    ["list", "CATALOG", "--local", "--persist-to", stateFolder],
    env,
  );
  return code === 0 ? [...output.matchAll(/\S+\.sql\b/g)].map(([name]) => name) : undefined;
}

function runMigrations(
  { wrangler, file, environment }: WranglerProject,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number; output: string }> {
  const named = environment === undefined ? [] : ["--env", environment];
  return new Promise((done) => {
    const command = [wrangler.program, "d1", "migrations", ...args, "--config", file, ...named];
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
