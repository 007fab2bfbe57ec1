// Writes what a first start needs: the local variables, the variables for plain wrangler, and the folder without which wrangler does not
// start. npm runs it after an install, and so does every command that installs.

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

/** Writes `.dev.vars`. An existing file is the developer's and is never changed. */
export function ensureDevVars(file = fromRoot(".dev.vars")) {
  return ensureFile(file, initial);
}

/** Writes `.env` for plain `npx wrangler dev`; `npm run dev` sets these variables itself. An existing file is never changed. */
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

/** Creates the folder of the playground. Wrangler checks that it exists before its own build step fills it. */
export function ensureAssetsFolder(folder = fromRoot("dist/ui")) {
  mkdirSync(folder, { recursive: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensureDevVars();
  ensureWranglerVariables();
  ensureAssetsFolder();
}
