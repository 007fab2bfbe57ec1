// Checks docs/reference/uap.md and docs/reference/phi-core.md: each requirement has one row, and the tests that the rows name exist. So do the
// files of code in phi-core.md. With `--ran`, each of these tests also has to have passed in the last whole runs (tests, playground, packages
// and commands).

import { existsSync, readdirSync, readFileSync } from "node:fs";

import { missingTests, namedTests, testsNotPassed } from "./lib/named-tests.mjs";
import { fromRoot } from "./lib/paths.mjs";
import { conformanceProblems, loopRequirements, missingCode } from "./lib/uap-conformance.mjs";

const readDocument = (path) => ({ path, text: readFileSync(fromRoot(path), "utf8") });
const conformance = readDocument("docs/reference/uap.md");
const loop = readDocument("docs/reference/phi-core.md");
const tests = [conformance, loop].flatMap(namedTests);
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
  ...conformanceProblems(conformance),
  ...conformanceProblems(loop, loopRequirements),
  ...missingCode(loop, "src/facade/phi", (file) => existsSync(fromRoot(file))),
  ...missingTests(tests, read, readFolder),
];
if (process.argv.includes("--ran")) {
  const commands = "part--config-test-node\\.config\\.ts-project-(?:deploys|commands)";
  const whole = new RegExp(`^(?:vitest|package|part--project-playground|${commands})\\.\\d+\\.json$`);
  const reports = readdirSync(fromRoot(".cache")).filter((name) => whole.test(name));
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
