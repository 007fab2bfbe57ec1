// A state folder as the catalog's migrations leave it, made once for all servers that a run of tests starts: wrangler takes two
// seconds to apply them to each. What starts without a copy of it (test/e2e/dev-command.test.ts) applies them itself.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import type { TestProject } from "vitest/node";

import { applyCatalogMigrations } from "../../../scripts/lib/catalog-migrations.mjs";

let folder: string | undefined;

/** Called by vitest before the first test. */
export async function setup(project: TestProject): Promise<void> {
  folder = mkdtempSync(path.join(tmpdir(), "threadhold-migrated-"));
  const { code, output } = await applyCatalogMigrations(folder, []);
  if (code !== 0) throw new Error(`The catalog's migrations could not be applied:\n${output}`);
  project.provide("migratedState", folder);
}

/** Called by vitest after the last test. */
export function teardown(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}
