// Runs the tests, or those that the arguments name (`npm test -- test/core`). The last line has the numbers of passed and failed tests.
// `npm run test:playground` runs the tests in a browser, `npm run test:package` those of packages, and `npm run test:commands` those of
// commands and deploys.

import { ensureInstall } from "./ensure-install.mjs";
import { compileAgents } from "./lib/compile-agents.mjs";
import { findChromium } from "./lib/find-chromium.mjs";
import { outsideOfRuntime, runVitest } from "./lib/vitest-run.mjs";

await ensureInstall();
if ((await compileAgents()) !== 0) {
  console.log("0 passed, 1 failed");
  process.exit(1);
}
// Tests of servers wait for them most of the time. They run at the same time as those that compute. A shared runtime uses
// one thread. The first two lanes have such runtimes, and their tests are divided so that both take about the same time.
const everything = [
  { args: ["--project=threads", "--project=golden"], computes: true, stores: true },
  { args: ["--project=together", "--project=alone", "--project=agents"], computes: true, stores: true },
  { args: [...outsideOfRuntime, "--project=e2e"] },
  { args: [...outsideOfRuntime, "--project=open"] },
  { args: [...outsideOfRuntime, "--project=pings"] },
  // Of normal priority: this lane takes longest, because some of its tests wait.
  { args: [...outsideOfRuntime, "--project=node", "--project=client"] },
];
const named = process.argv.slice(2);
// Installing a browser may take minutes, longer than a test may take. Without a browser the tests that need one fail with a message.
if (named.some((name) => /browser|playground/.test(name))) {
  await findChromium().catch((error) => console.error(error.message));
}
const stores = named.every((name) => name.startsWith("test/thread"));
const lanes = named.length === 0 ? everything : [{ args: named, stores }];
// A part has reports of its own: two parts may run at once, and the reports of the last whole run stay.
const part = named
  .join(" ")
  .replaceAll(/[^\w.]+/g, "-")
  .slice(0, 100);
const report = named.length === 0 ? ".cache/vitest" : `.cache/part-${part}`;
process.exit(await runVitest(lanes, { deadlineMinutes: 25, report }));
