// Checks docs/design/audit-closure.md and docs/reference/uap.md against the tests that they name. `node scripts/closure.mjs` checks that the
// tests exist.
// `--ran` also requires that the reports of the last whole test runs (tests, playground and packages) have each named test as passed.

import { existsSync, readdirSync, readFileSync } from "node:fs";

import { closureProblems } from "./lib/audit-closure.mjs";
import { missingTests, namedTests, testsNotPassed } from "./lib/named-tests.mjs";
import { fromRoot } from "./lib/paths.mjs";
import { conformanceProblems } from "./lib/uap-conformance.mjs";

const readDocument = (path) => ({ path, text: readFileSync(fromRoot(path), "utf8") });
const closure = readDocument("docs/design/audit-closure.md");
const conformance = readDocument("docs/reference/uap.md");
const tests = [closure, conformance].flatMap(namedTests);
const read = (file) => (existsSync(fromRoot(file)) ? readFileSync(fromRoot(file), "utf8") : undefined);
const folders = new Map();
const readFolder = (folder) => {
  const files = () => readdirSync(fromRoot(folder), { recursive: true, encoding: "utf8" });
  if (!folders.has(folder)) {
    const texts = files().filter((name) => /\.tsx?$/.test(name));
    folders.set(folder, texts.map((name) => readFileSync(fromRoot(`${folder}/${name}`), "utf8")).join("\n"));
  }
  return folders.get(folder);
};
const problems = [
  ...closureProblems(closure),
  ...conformanceProblems(conformance),
  ...missingTests(tests, read, readFolder),
];
if (process.argv.includes("--ran")) {
  const reports = readdirSync(fromRoot(".cache")).filter((name) =>
    /^(?:vitest|package|part--project-playground)\.\d+\.json$/.test(name),
  );
  problems.push(
    ...testsNotPassed(
      tests,
      reports.map((name) => JSON.parse(readFileSync(fromRoot(`.cache/${name}`), "utf8"))),
    ),
  );
}
for (const problem of problems) console.log(problem);
console.log(`${tests.length} named tests, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
