// Applies the catalog's D1 migrations to a local state folder. `wrangler d1 migrations apply` takes more than a second even if there is
// nothing to apply, so a hash of the applied files is stored next to the state.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { fromRoot } from "./paths.mjs";
import { runNode } from "./run-command.mjs";
import { tools, wranglerEnvironment } from "./tools.mjs";

const recordName = "threadhold-migrations";

/**
 * @param {string} folder
 * @returns {string | undefined} undefined if there are no migrations
 */
export function migrationsHash(folder) {
  if (!existsSync(folder)) return undefined;
  const files = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  if (files.length === 0) return undefined;
  const hash = createHash("sha256");
  for (const name of files.sort())
    hash
      .update(`${name}\0`)
      .update(readFileSync(path.join(folder, name)))
      .update("\0");
  return hash.digest("hex");
}

/** Whether these migrations are recorded as applied and the database still exists. */
export function areMigrationsRecorded(stateFolder, hash) {
  const record = path.join(stateFolder, recordName);
  if (!existsSync(path.join(stateFolder, "v3/d1")) || !existsSync(record)) return false;
  return readFileSync(record, "utf8").trim() === hash;
}

/**
 * @param {string} stateFolder absolute
 * @param {string[]} shared arguments every wrangler command gets
 * @returns {Promise<{ code: number, output: string }>}
 */
export async function applyCatalogMigrations(stateFolder, shared) {
  const hash = migrationsHash(fromRoot("migrations/catalog"));
  if (hash === undefined || areMigrationsRecorded(stateFolder, hash)) return { code: 0, output: "" };
  mkdirSync(stateFolder, { recursive: true });
  const args = ["d1", "migrations", "apply", "CATALOG", "--local", "--persist-to", stateFolder, ...shared];
  const result = await runNode(tools.wrangler, args, { quiet: true, env: wranglerEnvironment });
  if (result.code === 0) writeFileSync(path.join(stateFolder, recordName), `${hash}\n`);
  return result;
}
