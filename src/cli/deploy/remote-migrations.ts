// Applies the catalog's migrations to the database in the account. Each migration is one transaction: it is applied whole or not at all.

import { existsSync, readdirSync } from "node:fs";

import { CommandError } from "../context.ts";
import { parseList, wranglerFailure, type RunWrangler } from "./wrangler-run.ts";

/** The names of the migrations in a folder, in the order in which wrangler applies them. */
export function migrationNames(folder: string): string[] {
  if (!existsSync(folder)) {
    throw new CommandError(
      `The folder of migrations ${folder} does not exist; correct migrations_dir of the binding CATALOG.`,
    );
  }
  return readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .toSorted();
}

/** Applies the pending migrations and returns their names. */
export async function applyMigrations(run: RunWrangler, folder: string): Promise<string[]> {
  const names = migrationNames(folder);
  const result = await run(["d1", "migrations", "apply", "CATALOG", "--remote"]);
  if (result.code === 0) return names.filter((name) => result.stdout.includes(` ${name} `));
  const applied = await appliedMigrations(run);
  if (applied === null) throw wranglerFailure("d1 migrations apply CATALOG", result, "Nothing was deployed. ");
  const pending = names.filter((name) => !applied.has(name));
  const done = names.filter((name) => applied.has(name));
  throw wranglerFailure(
    "d1 migrations apply CATALOG",
    result,
    `Applied: ${done.join(", ") || "none"}. Pending: ${pending.join(", ") || "none"}. Nothing was deployed; the next deploy continues with the pending ones. `,
  );
}

/** The names of the migrations that the database has recorded; null if they cannot be read. */
async function appliedMigrations(run: RunWrangler): Promise<Set<string> | null> {
  const query = "SELECT name FROM d1_migrations ORDER BY id";
  const { code, stdout } = await run(["d1", "execute", "CATALOG", "--remote", "--json", "--command", query]);
  if (code !== 0) return null;
  const [rows] = parseList<{ results: { name: string }[] }>(stdout);
  return new Set(rows?.results.map(({ name }) => name));
}
