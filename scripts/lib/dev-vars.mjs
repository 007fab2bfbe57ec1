// Writes the local variables a first start needs. Run by npm after an install and by every command that installs.

import { writeFileSync } from "node:fs";
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

if (process.argv[1] === fileURLToPath(import.meta.url)) ensureDevVars();
