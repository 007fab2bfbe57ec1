// Checks that the lockfile can be installed on every platform. `--fix` adds the builds that a registry did not offer.

import { readFileSync, writeFileSync } from "node:fs";

import { lockfileGaps, platformEntry } from "./lib/lockfile-gaps.mjs";
import { fromRoot } from "./lib/paths.mjs";

const file = fromRoot("package-lock.json");
const lockfile = JSON.parse(readFileSync(file, "utf8"));
const gaps = lockfileGaps(lockfile.packages);
if (!process.argv.includes("--fix")) {
  for (const gap of gaps) console.log(`${gap.name}@${gap.version} is missing from package-lock.json`);
  if (gaps.length > 0) console.log("Add them: node scripts/lockfile.mjs --fix");
  process.exit(gaps.length === 0 ? 0 : 1);
}

const unknown = gaps.filter((gap) => platformEntry(gap) === undefined);
for (const gap of unknown) console.error(`${gap.name}@${gap.version}: its name tells no platform; add it by hand.`);
for (const gap of gaps) {
  const entry = platformEntry(gap);
  if (entry) lockfile.packages[gap.location] = entry;
}
const byLocation = Object.entries(lockfile.packages).sort(([a], [b]) => (a < b ? -1 : 1));
lockfile.packages = Object.fromEntries(byLocation);
writeFileSync(file, `${JSON.stringify(lockfile, null, 2)}\n`);
console.log(`${gaps.length - unknown.length} builds added.`);
process.exit(unknown.length === 0 ? 0 : 1);
