// Writes the local variables a first start needs, what plain wrangler has to be set to, and the folder without which wrangler
// does not start. Run by npm after an install and by every command that installs.

import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { fromRoot } from "./paths.mjs";

const initial = `# Local variables of the dev server; never deployed. .dev.vars.example names all of them.
# Open access from this machine, as long as no token, secret or key set is configured.
OPEN_LOOPBACK=true
`;

const forWrangler = `# Read by wrangler itself. Its explorer shows and changes all data of a local server and asks for no credentials.
X_LOCAL_EXPLORER=false
`;

/** An existing file is the developer's and is never touched. */
export function ensureDevVars(file = fromRoot(".dev.vars")) {
  return ensureFile(file, initial);
}

/** The same for the variables of wrangler: `npm run dev` sets them itself, plain `npx wrangler dev` reads them here. */
export function ensureWranglerVariables(file = fromRoot(".env")) {
  return ensureFile(file, forWrangler);
}

function ensureFile(file, text) {
  try {
    writeFileSync(file, text, { flag: "wx", mode: 0o600 });
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
  ensureWranglerVariables();
  ensureAssetsFolder();
}
