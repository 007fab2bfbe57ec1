// A developer's variables are never overwritten, and a new file opens the loopback only.

import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { ensureDevVars, ensureWranglerVariables } from "../../scripts/lib/dev-vars.mjs";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "threadhold-vars-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

it("The file .dev.vars is written once, readable by its owner alone", () => {
  const file = path.join(folder, ".dev.vars");
  expect(ensureDevVars(file)).toBe(true);
  const text = readFileSync(file, "utf8");
  expect(text.split("\n").filter((line) => line && !line.startsWith("#"))).toEqual(["OPEN_LOOPBACK=true"]);
  expect(statSync(file).mode & 0o077).toBe(0);
  expect(ensureDevVars(file)).toBe(false);
  expect(readFileSync(file, "utf8")).toBe(text);
});

it("A missing .env file is written and switches wrangler's explorer off, and an existing one is not changed", () => {
  const file = path.join(folder, ".env");
  expect(ensureWranglerVariables(file)).toBe(true);
  const text = readFileSync(file, "utf8");
  expect(text.split("\n").filter((line) => line && !line.startsWith("#"))).toEqual(["X_LOCAL_EXPLORER=false"]);
  expect(ensureWranglerVariables(file)).toBe(false);
  expect(readFileSync(file, "utf8")).toBe(text);
});
