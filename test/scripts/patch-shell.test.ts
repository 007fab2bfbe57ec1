// The change of the installed just-bash: scripts/lib/patch-shell.mjs.

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { patchShell } from "../../scripts/lib/patch-shell.mjs";
import { fromRoot } from "../../scripts/lib/paths.mjs";

const installed = fromRoot("node_modules/just-bash/dist/bundle/browser.js");

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "patch-shell-"));
  file = path.join(folder, "browser.js");
  cpSync(installed, file);
});
afterEach(() => rmSync(folder, { recursive: true }));

const change = (edit: (text: string) => string) => writeFileSync(file, edit(readFileSync(file, "utf8")));

it("The installed just-bash has the changes of Threadhold, so a second patch changes nothing and leaves no other file", () => {
  patchShell(file);
  expect(readFileSync(file).equals(readFileSync(installed))).toBe(true);
  expect(readFileSync(file, "utf8")).toContain("await this.ctx.coverage.turn()");
  expect(readdirSync(folder)).toEqual(["browser.js"]);
});

it("The patch refuses a just-bash with the changes of another version of Threadhold, and the error names the command to run", () => {
  change((text) => text.replace(/(Changed for Threadhold: )\w/, "$1x"));
  expect(() => patchShell(file)).toThrow("has the changes of another version of Threadhold. Run npm ci.");
});

it("The patch refuses a just-bash that lacks a text to replace, and does not change it", () => {
  writeFileSync(file, "switch(n.coverage?.hit(`jq:node:${t.type}`,e)");
  expect(() => patchShell(file)).toThrow(/just-bash has changed: .* does not occur exactly once\. Update/);
  expect(readFileSync(file, "utf8")).toBe("switch(n.coverage?.hit(`jq:node:${t.type}`,e)");
});

it("The patch changes nothing if just-bash is not installed", () => {
  patchShell(path.join(folder, "none.js"));
  expect(readdirSync(folder)).toEqual(["browser.js"]);
});
