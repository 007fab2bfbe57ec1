// When the catalog's migrations are applied again, and when they are skipped.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { applyCatalogMigrations, areMigrationsRecorded, migrationsHash } from "#cli/dev/catalog-migrations.ts";
import type { WranglerProject } from "#cli/doctor/wrangler-package.ts";

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

/** A program in place of wrangler that records the first words of its commands, and fails if its SQL is `broken`. */
const recorder = `const { appendFileSync, readFileSync } = require("node:fs");
const words = process.argv.slice(2);
appendFileSync(__dirname + "/commands", words.slice(0, words.indexOf("CATALOG")).join(" ") + "\\n");
const file = words.indexOf("--file") + 1;
if (file > 0 && readFileSync(words[file], "utf8").includes("broken")) process.exitCode = 1;`;

interface NewCatalog {
  sql?: string;
  catalog?: { migrations_table?: string };
  /** Whether the state folder has a database. */
  exists?: boolean;
}

it.each<[when: string, NewCatalog, commands: string[]]>([
  ["in one run of wrangler if the database is new", {}, ["d1 execute"]],
  ["one by one if there are local databases", { exists: true }, ["d1 migrations apply"]],
  ["one by one if the run with all of them fails", { sql: "broken" }, ["d1 execute", "d1 migrations apply"]],
  ["one by one if one has a PRAGMA", { sql: "pragma defer_foreign_keys = on;" }, ["d1 migrations apply"]],
  [
    "one by one if their table of records has another name",
    { catalog: { migrations_table: "applied" } },
    ["d1 migrations apply"],
  ],
])(
  "The catalog migrations are applied %s",
  async (_when, { sql = "CREATE TABLE a (id);", catalog, exists = false }, commands) => {
    mkdirSync(path.join(folder, "migrations"));
    put("migrations/0001_a.sql", sql);
    put("wrangler.cjs", recorder);
    if (exists) mkdirSync(path.join(folder, "state/v3/d1"), { recursive: true });
    const project = {
      file: path.join(folder, "wrangler.toml"),
      config: { d1_databases: [{ binding: "CATALOG", ...catalog }] },
      wrangler: { program: path.join(folder, "wrangler.cjs") },
    } as unknown as WranglerProject;
    const state = path.join(folder, "state");
    expect(await applyCatalogMigrations(project, state, process.env)).toMatchObject({ code: 0 });
    expect(readFileSync(path.join(folder, "commands"), "utf8").trim().split("\n")).toEqual(commands);
    expect(readdirSync(state)).toEqual(exists ? ["threadhold-migrations", "v3"] : ["threadhold-migrations"]);
  },
);
