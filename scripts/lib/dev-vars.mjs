// Writes the local variables a first start needs, and the folder without which wrangler does not start. Run by npm after an
// install and by every command that installs.

import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { fromRoot } from "./paths.mjs";

const initial = `# Local variables of the dev server; never deployed. .dev.vars.example names all of them.
# Open access from this machine, as long as no token, secret or key set is configured.
OPEN_LOOPBACK=true
`;

/** An existing file is the developer's and is never touched. */
export function ensureDevVars(file = fromRoot(".dev.vars")) {
  try {
    writeFileSync(file, initial, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

/** The playground is built into it by wrangler's own build step, which comes after the check that it is there. */
export function ensureAssetsFolder(folder = fromRoot("dist/ui")) {
  mkdirSync(folder, { recursive: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensureDevVars();
  ensureAssetsFolder();
}
