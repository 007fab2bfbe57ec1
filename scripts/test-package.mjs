// Runs the tests of the packed packages: `npm run test:package`. With --newest, npm installs the newest versions of their dependencies in the
// published ranges, in place of the lowest ones: before a release both have to pass.

import { ensureInstall } from "./ensure-install.mjs";
import { fromRoot } from "./lib/paths.mjs";
import { runVitest } from "./lib/vitest-run.mjs";

await ensureInstall();
const given = process.argv.slice(2);
if (given.includes("--newest")) process.env["PACKAGE_VERSIONS"] = "newest";
const named = given.filter((name) => name !== "--newest");
const lane = { args: ["--config", fromRoot("test/package/vitest.config.ts"), ...named] };
// The reports of the last whole run stay.
const report = named.length === 0 ? ".cache/package" : ".cache/part-package";
process.exit(await runVitest([lane], { deadlineMinutes: 15, report }));
