// Builds the playground into dist/ui if its sources have changed.
//
//   node scripts/build-ui.mjs [--auto]
//
// --auto is for wrangler's [build] step: if the playground cannot be built, a deploy fails, but a development server continues to serve
// the last one. The development server also does not wait for a build that another process makes.

import { buildUi } from "./lib/ui-build.mjs";

const isPublished = !process.argv.includes("--auto") || process.env.WRANGLER_COMMAND !== "dev";
try {
  const begun = performance.now();
  if (await buildUi({ waits: isPublished }))
    console.log(`Built the playground in ${((performance.now() - begun) / 1000).toFixed(1)} s.`);
} catch (error) {
  console.error(
    `The playground could not be built.\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
  if (isPublished) process.exit(1);
}
