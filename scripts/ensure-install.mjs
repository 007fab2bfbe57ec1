// Prepares a fresh clone: installs exactly the packages of the lockfile if some are missing. It uses no packages, because every other
// script runs it before they are installed.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { ensureAssetsFolder, ensureDevVars, ensureWranglerVariables } from "./lib/dev-vars.mjs";
import { missingPackages } from "./lib/installed-packages.mjs";
import { nodeTooOld } from "./lib/node-version.mjs";
import { fromRoot } from "./lib/paths.mjs";
import { runCommand } from "./lib/run-command.mjs";

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** Installs if needed. Ends the process with a message if that is impossible. */
export async function ensureInstall() {
  const tooOld = nodeTooOld(process.versions.node);
  if (tooOld) {
    console.error(tooOld);
    process.exit(1);
  }
  const lockfile = readJson(fromRoot("package-lock.json"));
  if (!lockfile) {
    console.error("package-lock.json is missing or broken; the install is always exact, so it is needed.");
    process.exit(1);
  }
  const missing = missingPackages(lockfile, readJson(fromRoot("node_modules/.package-lock.json")));
  if (missing.length > 0) {
    console.log(`Installing ${missing.length} packages from the lockfile …`);
    const npm = process.platform === "win32" ? "npm.cmd" : "npm";
    const result = await runCommand(npm, ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { quiet: true });
    if (result.code !== 0) {
      console.error(`${result.output}\nnpm ci failed with code ${result.code}.`);
      process.exit(result.code);
    }
  }
  ensureDevVars();
  ensureWranglerVariables();
  ensureAssetsFolder();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await ensureInstall();
