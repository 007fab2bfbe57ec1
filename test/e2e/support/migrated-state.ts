// A state folder with the catalog's migrations applied. Wrangler takes more than a second to apply them, so the folder is
// made once and stored under a name made from the migrations and wrangler's version; tests copy it. A server without a
// copy of it (test/e2e/dev-command.test.ts) applies them itself.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";

import type { TestProject } from "vitest/node";

import { applyCatalogMigrations, migrationsHash } from "#cli/dev/catalog-migrations.ts";
import { readWranglerProject } from "#cli/doctor/wrangler-package.ts";

import { fromRoot } from "../../../scripts/lib/paths.mjs";
import { wranglerEnvironment } from "../../../scripts/lib/tools.mjs";

const kept = fromRoot(".cache/migrated");

/** Called by vitest before the first test. */
export async function setup(project: TestProject): Promise<void> {
  const { version } = JSON.parse(readFileSync(fromRoot("node_modules/wrangler/package.json"), "utf8")) as {
    version: string;
  };
  const name = `${version}-${migrationsHash(fromRoot("migrations/catalog")) ?? "none"}`;
  const folder = path.join(kept, name);
  if (!existsSync(folder)) await make(folder);
  project.provide("migratedState", folder);
}

/** The folder is renamed into place as a whole, because another test run may make the same one at the same time. */
async function make(folder: string): Promise<void> {
  mkdirSync(kept, { recursive: true });
  const older = readdirSync(kept).filter((name) => !name.startsWith("making-") && name !== path.basename(folder));
  const making = mkdtempSync(path.join(kept, "making-"));
  const project = readWranglerProject(fromRoot("."));
  if (!("wrangler" in project)) throw new Error(project.detail);
  const { code, output } = await applyCatalogMigrations(project, making, { ...process.env, ...wranglerEnvironment });
  if (code !== 0) {
    rmSync(making, { recursive: true, force: true });
    throw new Error(`The catalog's migrations could not be applied:\n${output}`);
  }
  try {
    renameSync(making, folder);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  for (const name of older) rmSync(path.join(kept, name), { recursive: true, force: true });
}
