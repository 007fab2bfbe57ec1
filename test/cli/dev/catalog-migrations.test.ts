// When the catalog's migrations are applied again, and when they are skipped.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { areMigrationsRecorded, migrationsHash } from "#cli/dev/catalog-migrations.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "threadhold-migrations-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const put = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);

it("A project without catalog migrations has no hash of them", () => {
  expect(migrationsHash(path.join(folder, "nowhere"))).toBeUndefined();
  put("README.md", "no migration");
  expect(migrationsHash(folder)).toBeUndefined();
});

it("The hash of the catalog migrations changes with a file's name, its text and a new file", () => {
  put("0001_a.sql", "one");
  const first = migrationsHash(folder);
  put("0001_a.sql", "two");
  const second = migrationsHash(folder);
  put("0002_b.sql", "");
  const third = migrationsHash(folder);
  rmSync(path.join(folder, "0001_a.sql"));
  put("0001_c.sql", "two");
  expect(new Set([first, second, third, migrationsHash(folder)]).size).toBe(4);
});

it("The record of applied catalog migrations counts only while the local database exists", () => {
  put("threadhold-migrations", "abc\n");
  expect(areMigrationsRecorded(folder, "abc")).toBe(false);
  mkdirSync(path.join(folder, "v3/d1"), { recursive: true });
  expect(areMigrationsRecorded(folder, "abc")).toBe(true);
  expect(areMigrationsRecorded(folder, "abd")).toBe(false);
});
