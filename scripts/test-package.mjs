// Runs the tests of the packed packages, of commands in projects of their own, and of deploys to a local server of Cloudflare's API:
// `npm run test:package`.

import { ensureInstall } from "./ensure-install.mjs";
import { fromRoot } from "./lib/paths.mjs";
import { outsideOfRuntime, runVitest } from "./lib/vitest-run.mjs";

await ensureInstall();
const named = process.argv.slice(2);
const packages = { args: ["--config", fromRoot("test/package/vitest.config.ts"), ...named] };
const commands = ["deploys", "commands"].map((name) => ({ args: [...outsideOfRuntime, `--project=${name}`] }));
const lanes = named.length === 0 ? [packages, ...commands] : [packages];
// The reports of the last whole run stay.
const report = named.length === 0 ? ".cache/package" : ".cache/part-package";
process.exit(await runVitest(lanes, { deadlineMinutes: 15, report }));
