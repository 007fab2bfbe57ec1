// Runs the tests: everything, or what the arguments name (`npm test -- test/core`). Ends with one plain line that says
// how many passed and failed.

import { readFileSync, rmSync } from "node:fs";

import { ensureInstall } from "./ensure-install.mjs";
import { compileAgents } from "./lib/compile-agents.mjs";
import { fromRoot } from "./lib/paths.mjs";
import { startGroup } from "./lib/process-group.mjs";
import { countTests } from "./lib/test-count.mjs";
import { tools, wranglerEnvironment } from "./lib/tools.mjs";

await ensureInstall();
if ((await compileAgents()) !== 0) {
  console.log("0 passed, 1 failed");
  process.exit(1);
}

const reportFile = fromRoot(".cache/vitest.json");
// A report of an earlier run must never be counted as this one's.
rmSync(reportFile, { force: true });
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`];
// A test that never ends, such as an endless loop inside the runtime, is beyond vitest's own time limits.
const deadlineMinutes = 10;
const vitest = startGroup(process.execPath, [fromRoot(tools.vitest), "run", ...reporters, ...process.argv.slice(2)], {
  ...wranglerEnvironment,
  ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : {}),
});
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
  process.on(signal, () => vitest.signal(signal));
}
vitest.stdout.pipe(process.stdout);
vitest.stderr.pipe(process.stderr);
const deadline = setTimeout(() => {
  console.error(`The tests were ended after ${deadlineMinutes} minutes.`);
  vitest.signal("SIGKILL");
}, deadlineMinutes * 60_000);
const code = await vitest.ended;
clearTimeout(deadline);

let report;
try {
  report = JSON.parse(readFileSync(reportFile, "utf8"));
} catch {
  report = undefined;
}
const count = countTests(report, code);
if (count.skipped > 0) console.log(`${count.skipped} skipped`);
console.log(`${count.passed} passed, ${count.failed} failed`);
process.exit(code === 0 && count.failed > 0 ? 1 : code);
