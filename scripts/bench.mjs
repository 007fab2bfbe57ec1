// Runs the benches in bench/ one after the other, prints one table and stores it in artifacts/bench.json.
// `npm run bench`; `npm run bench -- stream step` for some of them; `npm run bench -- stream --rounds 200` with options.

import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";

import { printTable } from "../bench/support/report.mjs";
import { ensureInstall } from "./ensure-install.mjs";
import { fromRoot } from "./lib/paths.mjs";

await ensureInstall();
const given = process.argv.slice(2);
const firstOption = given.findIndex((argument) => argument.startsWith("-"));
const wanted = firstOption === -1 ? given : given.slice(0, firstOption);
const options = firstOption === -1 ? [] : given.slice(firstOption);
const all = readdirSync(fromRoot("bench"))
  .filter((name) => name.endsWith(".mjs"))
  .map((name) => name.slice(0, -".mjs".length));
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`There is no bench named ${unknown.join(", ")}. Known: ${all.join(", ")}.`);
  process.exit(2);
}
if (options.length > 0 && wanted.length !== 1) {
  console.error("Options are those of one bench: name it before them.");
  process.exit(2);
}

/** The machine's load. Figures of a busy machine are not reliable. */
const load = () => Number((loadavg()[0] ?? 0).toFixed(2));

/** Runs one bench and returns its exit code and its rows. */
function run(name) {
  const child = spawn(process.execPath, [fromRoot(`bench/${name}.mjs`), ...options], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, THREADHOLD_BENCH: "collected" },
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  return new Promise((resolve) => {
    child.on("close", (code) => {
      const line = output.split("\n").find((text) => text.startsWith('{"bench"'));
      resolve({ code: code ?? 1, measured: line === undefined ? { bench: name, rows: [] } : JSON.parse(line) });
    });
  });
}

const measured = [];
let failed = false;
for (const name of wanted.length > 0 ? wanted : all) {
  const before = load();
  const ran = await run(name);
  if (ran.measured.rows.length === 0) console.error(`${name} measured nothing.`);
  failed ||= ran.code !== 0;
  measured.push({ ...ran.measured, load: { before, after: load() } });
}
printTable(measured.flatMap(({ bench, rows }) => rows.map((row) => ({ bench, ...row }))));
for (const { bench, load: during } of measured) {
  console.log(`${bench}: load ${during.before} before, ${during.after} after, on ${cpus().length} processors`);
}
mkdirSync(fromRoot("artifacts"), { recursive: true });
writeFileSync(fromRoot("artifacts/bench.json"), `${JSON.stringify(measured, null, 2)}\n`);
process.exit(failed ? 1 : 0);
