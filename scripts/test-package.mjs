// Runs the tests of the packed packages: `npm run test:package`.

import { ensureInstall } from "./ensure-install.mjs";
import { fromRoot } from "./lib/paths.mjs";
import { runVitest } from "./lib/vitest-run.mjs";

await ensureInstall();
const named = process.argv.slice(2);
const lane = { args: ["--config", fromRoot("test/package/vitest.config.ts"), ...named] };
// The reports of the last whole run stay.
const report = named.length === 0 ? ".cache/package" : ".cache/part-package";
process.exit(await runVitest([lane], { deadlineMinutes: 15, report }));
