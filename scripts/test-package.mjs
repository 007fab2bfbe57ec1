// Runs the tests of the packed packages: `npm run test:package`.

import { ensureInstall } from "./ensure-install.mjs";
import { fromRoot } from "./lib/paths.mjs";
import { runVitest } from "./lib/vitest-run.mjs";

await ensureInstall();
const args = ["--config", fromRoot("test/package/vitest.config.ts"), ...process.argv.slice(2)];
process.exit(await runVitest([args], { deadlineMinutes: 15, report: ".cache/package" }));
