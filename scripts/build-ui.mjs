// Builds the playground into dist/ui if its sources have changed.
//
//   node scripts/build-ui.mjs [--auto]
//
// --auto is for wrangler's [build] step: if the playground cannot be built, a deploy fails, but a development server continues to serve
// the last one.

import { buildUi } from "./lib/ui-build.mjs";

try {
  const begun = performance.now();
  if (await buildUi()) console.log(`Built the playground in ${((performance.now() - begun) / 1000).toFixed(1)} s.`);
} catch (error) {
  console.error(
    `The playground could not be built.\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
  const deploys = process.env.WRANGLER_COMMAND !== "dev";
  if (!process.argv.includes("--auto") || deploys) process.exit(1);
}
