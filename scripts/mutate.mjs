// Mutates code that rows of docs/reference/phi-core.md name, one place at a time in a copy of the project, and expects the tests of the row
// to fail: `npm run mutate` chooses twenty rows, `npm run mutate -- 045 062` takes these. `MUTATE_SEED` chooses the same places again.
// A place is in a function that the row names in back-ticks, if it names one of the file, and is executed by the tests of the row. If they
// do not fail, the tests of other rows with the same file are tried. The command ends with 1 if a mutation survived all of them.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

import { ensureInstall } from "./ensure-install.mjs";
import { compileAgents } from "./lib/compile-agents.mjs";
import { copyTree, runnersOf } from "./lib/mutant-tree.mjs";
import { namedTests, titlePattern } from "./lib/named-tests.mjs";
import { fromRoot } from "./lib/paths.mjs";
import { startSupervised } from "./lib/supervised-group.mjs";
import { compilerEnvironment, tools, wranglerEnvironment } from "./lib/tools.mjs";
import { namedCode, rowId } from "./lib/uap-conformance.mjs";

const wantedMutations = 20;
const document = "docs/reference/phi-core.md";
/** A run of unchanged code takes this long at most, one of mutated code this much longer: a mutation may cause an endless loop. */
const [deadline, slowdown] = [300_000, 3];
const outsideOfRuntime =
  /^test\/(?:(?:cli|client|compiler|facade|host|lint|scripts|session|spec|tools\/node|ui)\/|surfaces\/in-node)/;

const seed = Number(process.env.MUTATE_SEED ?? Date.now() % 1_000_000);
const testFiles = readdirSync(fromRoot("test"), { recursive: true, encoding: "utf8" }).map((file) => `test/${file}`);
const rows = readFileSync(fromRoot(document), "utf8")
  .split("\n")
  .flatMap((line) => {
    const id = rowId(line);
    if (id === undefined) return [];
    const code = namedCode(line, "src/facade/phi").filter((file) => /\.tsx?$/.test(file));
    // Tests of packages build them first, with another command.
    const tests = namedTests({ path: document, text: line }).filter(({ file }) => !file.startsWith("test/package/"));
    const names = [...(line.split("|")[2] ?? "").matchAll(/`(\w+)/g)].map(([, name]) => name);
    return [{ id, code, tests, names }];
  });
const named = process.argv.slice(2);
const strange = named.filter((id) => !rows.some((row) => row.id === id));
if (!Number.isInteger(seed) || strange.length > 0) {
  console.error(
    strange.length > 0 ? `${document} has no row ${strange.join(" or ")}.` : "MUTATE_SEED has to be a whole number.",
  );
  process.exit(1);
}

/** Numbers that follow from the seed and the texts alone, so that one row is mutated as in a run with others. */
const hash = (...texts) =>
  createHash("sha256")
    .update([seed, ...texts].join(" "))
    .digest()
    .readUInt32BE();
const shuffled = (list, keyOf) => list.toSorted((one, other) => hash(keyOf(one)) - hash(keyOf(other)));

await ensureInstall();
// It loads a package, which has to be installed.
const { describeMutation, mutated, mutationsOf, reachedPlaces, withMarks } = await import("./lib/mutations.mjs");
if ((await compileAgents()) !== 0) process.exit(1);
const folder = await copyTree();
// After a SIGKILL the copy stays in the temporary folder of the system.
process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
const inCopy = (file) => path.join(folder, file);
const reachedFile = inCopy("reached-places.txt");
/** @type {import("./lib/supervised-group.mjs").ProcessGroup | undefined} */
let running;
for (const [signal, number] of /** @type {const} */ ([
  ["SIGINT", 2],
  ["SIGTERM", 15],
  ["SIGHUP", 1],
])) {
  process.on(signal, () => {
    running?.signal("SIGKILL");
    process.exit(128 + number);
  });
}

console.log(`MUTATE_SEED=${seed}`);
const chosen = named.length > 0 ? rows.filter(({ id }) => named.includes(id)) : shuffled(rows, ({ id }) => id);
/** @type {string[]} */
const outcomes = [];
for (const row of chosen) {
  if (outcomes.length === wantedMutations) break;
  const result = await mutateRow(row);
  if (result === undefined) continue;
  outcomes.push(result.outcome);
  console.log(`| ${row.id} | ${result.file}:${result.line} | ${result.change} | ${result.outcome} |`);
}
const count = (beginning) => outcomes.filter((outcome) => outcome.startsWith(beginning)).length;
const [killed, elsewhere] = [count("killed"), count("killed by")];
const bad = outcomes.length - killed;
console.log(
  `${killed - elsewhere} killed, ${elsewhere} killed by the tests of another row, ${count("survived")} survived, ` +
    `${count("failed before")} failed before (MUTATE_SEED=${seed})`,
);
process.exit(bad === 0 ? 0 : 1);

/** Mutates one place of a row's code; undefined if its tests execute none. */
async function mutateRow({ id, code, tests, names }) {
  for (const file of shuffled(code, (one) => `${id} ${one}`)) {
    const text = readFileSync(inCopy(file), "utf8");
    const mutations = mutationsOf(text, file);
    if (mutations.length === 0 || tests.length === 0) continue;
    const begun = performance.now();
    const marked = await runWith(file, withMarks(text, mutations, reachedFile), tests, deadline);
    // Nothing follows from tests that fail without a mutation.
    if (marked.failed) return { file, line: 0, change: marked.output.slice(-3000), outcome: "failed before" };
    const executed = [...reachedPlaces(marked.output)].flatMap((number) => mutations[number] ?? []);
    const inNamed = executed.filter(({ functions }) => functions.some((name) => names.includes(name)));
    const places = inNamed.length > 0 ? inNamed : executed;
    const [kind] = shuffled([...new Set(places.map((place) => place.kind))], (one) => `${id} ${one}`);
    const [place] = shuffled(
      places.filter((one) => one.kind === kind),
      ({ start }) => `${id} ${start}`,
    );
    if (place === undefined) continue;
    const limit = (performance.now() - begun) * slowdown + 30_000;
    const { failed } = await runWith(file, mutated(text, place), tests, limit);
    const change = describeMutation(text, place).replaceAll("|", "\\|");
    const found = { file, line: place.line, change };
    if (failed) return { ...found, outcome: "killed" };
    for (const other of rows.filter((row) => row.id !== id && row.code.includes(file))) {
      const { titles } = await runWith(file, mutated(text, place), other.tests, deadline);
      if (titles.length > 0) return { ...found, outcome: `killed by row ${other.id}: ${titles[0]}` };
    }
    return { ...found, outcome: "survived" };
  }
  return undefined;
}

/** Runs tests while a file of the copy has another text. `output` also has the places that marked code reached. */
async function runWith(file, text, tests, milliseconds) {
  const original = readFileSync(inCopy(file));
  rmSync(reachedFile, { force: true });
  writeFileSync(inCopy(file), text);
  try {
    const result = await runTests(tests, milliseconds);
    return { ...result, output: result.output + (existsSync(reachedFile) ? readFileSync(reachedFile, "utf8") : "") };
  } finally {
    writeFileSync(inCopy(file), original);
  }
}

/** Runs tests. Those outside of the Workers runtime have a process of their own: one with both kinds does not end. */
async function runTests(tests, milliseconds) {
  const files = [...new Set(tests.flatMap((test) => runnersOf(test.file, testFiles)))];
  const outside = files.filter((file) => outsideOfRuntime.test(file));
  const inside = files.filter((file) => !outsideOfRuntime.test(file));
  const all = { failed: false, titles: [], output: "" };
  for (const [config, some] of /** @type {const} */ ([
    ["test/node.config.ts", outside],
    ["vitest.config.ts", inside],
  ])) {
    if (some.length === 0 || all.failed) continue;
    const { failed, titles, output } = await runFiles(config, { files: some, tests, milliseconds });
    Object.assign(all, { failed, titles, output: all.output + output });
  }
  return all;
}

async function runFiles(config, { files, tests, milliseconds }) {
  const titles = tests.map(({ title }) => titlePattern(title).source.replace(/^\^/, ""));
  const report = inCopy(".cache/mutant.json");
  // A report of an earlier run must never be counted as this one's.
  rmSync(report, { force: true });
  const group = await startSupervised(
    [
      process.execPath,
      inCopy(tools.vitest),
      "run",
      "--config",
      inCopy(config),
      "--silent=false",
      // Vitest does not end if it intercepts what marked code prints inside the Workers runtime.
      "--disable-console-intercept",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
      `--testNamePattern=${titles.join("|")}`,
      ...files,
    ],
    { ...wranglerEnvironment, ...compilerEnvironment },
    folder,
  );
  running = group;
  let output = "";
  for (const stream of [group.stdout, group.stderr]) stream.on("data", (chunk) => (output += chunk));
  const timer = setTimeout(() => group.signal("SIGKILL"), milliseconds);
  const code = await group.ended;
  clearTimeout(timer);
  running = undefined;
  const results = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")).testResults : [];
  const all = results.flatMap(({ assertionResults }) => assertionResults);
  const titlesOf = (status) => all.filter((one) => one.status === status).map(({ title }) => title);
  return { failed: code !== 0 || titlesOf("passed").length === 0, titles: titlesOf("failed"), output };
}
