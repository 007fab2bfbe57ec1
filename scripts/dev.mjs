// `npm run dev`: from a fresh clone to a running server in one command. Installs what is missing, builds the playground and runs
// `threadhold dev`.

import { ensureInstall } from "./ensure-install.mjs";
import { runCli } from "./lib/cli-bundle.mjs";
import { root } from "./lib/paths.mjs";
import { wranglerEnvironment } from "./lib/tools.mjs";
import { buildUi } from "./lib/ui-build.mjs";

const argv = process.argv.slice(2);
await ensureInstall();
if (!argv.includes("--help") && !argv.includes("-h")) await prepareUi();
Object.assign(process.env, wranglerEnvironment);
await runCli(["dev", "--root", root, ...argv]);

/** The API is served also if the playground cannot be built. */
async function prepareUi() {
  try {
    await buildUi();
  } catch (error) {
    console.error(`The playground could not be built, so the one before is served, if any.\n${error.message}`);
  }
}
