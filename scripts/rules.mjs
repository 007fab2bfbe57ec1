// Checks that every numbered promise in docs/rules.md and docs/rules/, and every row of the Standard Agents reference, has a test,
// that every id in a test's title is a rule, and that titles are whole sentences.
// `node scripts/rules.mjs [folder]` checks another folder, as its tests do.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { root } from "./lib/paths.mjs";
import { checkCoverage } from "./lib/rule-coverage.mjs";
import { titleProblems } from "./lib/test-titles.mjs";

const tree = path.resolve(process.argv[2] ?? root);

function filesUnder(folder, wanted) {
  const start = path.join(tree, folder);
  if (!existsSync(start)) return [];
  return readdirSync(start, { recursive: true, encoding: "utf8" })
    .map((name) => path.posix.join(folder, name.split(path.sep).join("/")))
    .filter(wanted)
    .sort();
}

const read = (file) => ({ path: file, text: readFileSync(path.join(tree, file), "utf8") });

const numbered = /^docs\/(rules|rules\/.*|reference\/standard-agents)\.md$/;
const documents = filesUnder("docs", (file) => numbered.test(file));
const tests = filesUnder("test", (file) => /\.tsx?$/.test(file) && !file.includes("/fixtures/"));

const sources = tests.map(read);
const { problems: uncovered, rules, proofs } = checkCoverage(documents.map(read), sources);
const problems = [...uncovered, ...titleProblems(sources)];
for (const problem of problems) console.log(problem);
console.log(`${rules} rules, ${proofs} tests that name one, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
