// Runs the tests: everything, or what the arguments name (`npm test -- test/core`). Ends with one plain line that says
// how many passed and failed.

import { ensureInstall } from "./ensure-install.mjs";
import { compileAgents } from "./lib/compile-agents.mjs";
import { findChromium } from "./lib/find-chromium.mjs";
import { runVitest } from "./lib/vitest-run.mjs";

await ensureInstall();
if ((await compileAgents()) !== 0) {
  console.log("0 passed, 1 failed");
  process.exit(1);
}
// Servers and a browser mostly wait, so what drives them runs beside what computes.
const everything = [
  ["--project=together", "--project=workers"],
  ["--project=node", "--project=e2e"],
  ["--project=browser"],
];
const named = process.argv.slice(2);
// To install one may take minutes, which no test has; without one the tests that need it say so.
if (named.length === 0 || named.some((name) => name.includes("browser"))) {
  await findChromium().catch((error) => console.error(error.message));
}
const lanes = named.length === 0 ? everything : [named];
process.exit(await runVitest(lanes, { deadlineMinutes: 25, report: ".cache/vitest" }));
