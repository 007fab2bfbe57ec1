// Runs what is in bench/, one after the other, and keeps what each measured in artifacts/bench.json.
// `npm run bench`, or `npm run bench -- compiler` for one of them.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";

import { ensureInstall } from "./ensure-install.mjs";
import { fromRoot } from "./lib/paths.mjs";

await ensureInstall();
const wanted = process.argv.slice(2);
const all = readdirSync(fromRoot("bench"))
  .filter((name) => name.endsWith(".mjs"))
  .map((name) => name.slice(0, -".mjs".length));
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`There is no bench named ${unknown.join(", ")}. Known: ${all.join(", ")}.`);
  process.exit(2);
}

const measured = [];
let code = 0;
for (const name of wanted.length > 0 ? wanted : all) {
  const run = spawnSync(process.execPath, [fromRoot(`bench/${name}.mjs`)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  // The line of JSON is for the file, the rest for people.
  for (const line of run.stdout.split("\n")) {
    if (line.startsWith('{"bench"')) measured.push(JSON.parse(line));
    else if (line !== "") console.log(line);
  }
  if (run.status !== 0) code = 1;
}
mkdirSync(fromRoot("artifacts"), { recursive: true });
writeFileSync(fromRoot("artifacts/bench.json"), `${JSON.stringify(measured, null, 2)}\n`);
process.exit(code);
