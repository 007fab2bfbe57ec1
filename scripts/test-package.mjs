// Runs the tests of the packed packages, and those that deploy to a local server of Cloudflare's API: `npm run test:package`.

import { ensureInstall } from "./ensure-install.mjs";
import { fromRoot } from "./lib/paths.mjs";
import { runVitest } from "./lib/vitest-run.mjs";

await ensureInstall();
const named = process.argv.slice(2);
const packages = { args: ["--config", fromRoot("test/package/vitest.config.ts"), ...named] };
const lanes = named.length === 0 ? [packages, { args: ["--project=deploys"] }] : [packages];
process.exit(await runVitest(lanes, { deadlineMinutes: 15, report: ".cache/package" }));
