// The checks of documents that name tests, applied to small texts with one mistake each.

import { expect, it } from "vitest";

import { missingTests, namedTests, testsNotPassed } from "../../scripts/lib/named-tests.mjs";
import {
  conformanceProblems,
  loopRequirements,
  missingCode,
  requirements,
} from "../../scripts/lib/uap-conformance.mjs";

const path = "docs/a.md";
const row = "| 2.4 | runs end | `test/thread/a.test.ts` › RUN1 ends a chain |";
const files: Record<string, string> = { "test/thread/a.test.ts": "RUN1 ends a chain" };
const read = (file: string): string | undefined => files[file];
const readFolder = (folder: string): string =>
  Object.entries(files)
    .flatMap(([file, text]) => (file.startsWith(`${folder}/`) ? [text] : []))
    .join("\n");
const report = (status: string, title = "RUN1 ends a chain") => ({
  testResults: [{ name: "/somewhere/test/thread/a.test.ts", assertionResults: [{ title, status }] }],
});

it("A document is accepted if each test that it names exists and passed", () => {
  const tests = namedTests({ path, text: row });
  expect(tests).toEqual([{ file: "test/thread/a.test.ts", title: "RUN1 ends a chain", place: "docs/a.md:1" }]);
  expect(missingTests(tests, read, readFolder)).toEqual([]);
  expect(testsNotPassed(tests, [undefined, report("passed")])).toEqual([]);
});

it("A table cell of a document may name several tests, and all of them are read", () => {
  const text = "| a | b | `test/a.test.ts` › one<br>`test/b.test.tsx` › two of it |";
  expect(namedTests({ path, text }).map(({ file, title }) => [file, title])).toEqual([
    ["test/a.test.ts", "one"],
    ["test/b.test.tsx", "two of it"],
  ]);
});

it("A document is refused if it names a test whose file or title does not exist", () => {
  const gone = namedTests({ path, text: row.replace("a.test", "b.test") });
  expect(missingTests(gone, read, readFolder)).toEqual(["docs/a.md:1  there is no file test/thread/b.test.ts"]);
  const renamed = namedTests({ path, text: row.replace("RUN1 ends", "RUN2 ends") });
  expect(missingTests(renamed, read, readFolder)).toEqual([
    'docs/a.md:1  test/thread/a.test.ts has no test "RUN2 ends a chain"',
  ]);
});

it("A title in a document may contain values in place of the placeholders of an it.each title in the sources", () => {
  const tests = namedTests({ path, text: row.replace("ends a chain", "stops a chain of two") });
  const table = (title: string) => () => `it.each(cases)("${title}", () => {});`;
  expect(missingTests(tests, table("RUN1 stops a chain of %s"), table(""))).toEqual([]);
  expect(missingTests(tests, table(""), table("RUN1 stops a chain of ${count}"))).toEqual([]);
  for (const other of ["RUN1 stops a chain", "RUN1 starts a chain of %s", "%s"])
    expect(missingTests(tests, table(other), table(""))).toHaveLength(1);
});

it("A document is refused if it names a test that failed, was skipped or did not run", () => {
  const tests = namedTests({ path, text: row });
  for (const reports of [[], [report("failed")], [report("skipped")], [report("passed", "RUN1 ends")]])
    expect(testsNotPassed(tests, reports)).toHaveLength(1);
});

it("If a document names a test of a shared suite, the test may have passed in any test file", () => {
  const tests = namedTests({ path, text: row.replace("thread/a.test.ts", "browser/suites/a.ts") });
  expect(testsNotPassed(tests, [report("passed")])).toEqual([]);
  expect(testsNotPassed(tests, [report("failed")])).toHaveLength(1);
});

it("A title with placeholders in a document matches a title with values in a test report", () => {
  const tests = namedTests({ path, text: row.replace("a chain", "$kind of %s") });
  expect(testsNotPassed(tests, [report("passed", "RUN1 ends one of two")])).toEqual([]);
});

it.each([
  ["a missing row", "", "docs/a.md  2.4 has no row"],
  [
    "a second row",
    "| 2.4 | a | `test/a.test.ts` › one |\n| 2.4 | a | `test/a.test.ts` › one |",
    "docs/a.md:2  2.4 has a second row",
  ],
  ["an unknown requirement", "| 2.9 | a | `test/a.test.ts` › one |", "docs/a.md:1  2.9 is not a requirement"],
  ["a row without a test", "| 2.4 | a | surely |", "docs/a.md:1  2.4 names no test"],
])("A conformance document with %s is refused", (_, text, problem) => {
  expect(conformanceProblems({ path, text }, ["2.4"])).toContain(problem);
});

it("A conformance document is accepted if each requirement has one row with a test", () => {
  const text = requirements.map((id) => `| ${id} | a | \`test/a.test.ts\` › one |`).join("\n");
  expect(conformanceProblems({ path, text })).toEqual([]);
});

it("The list of phi-core's requirements has all 221 of them", () => {
  expect([loopRequirements.length, loopRequirements[0], loopRequirements.at(-1)]).toEqual([221, "001", "221"]);
});

it("A conformance document is refused if a row names a file of code that does not exist, or no code", () => {
  const existing = new Set(["src/a/loop.ts", "src/models/b.ts"]);
  const problemsOf = (code: string) =>
    missingCode({ path, text: `text\n| 001 | a \\| \`b\` | ${code} | \`test/a.test.ts\` › one |` }, "src/a", (file) =>
      existing.has(file),
    );
  for (const code of ["`loop.ts`, `src/models/b.ts`", "[a page](page.md)", "`loop.ts`, [`.ci/run`](../.ci/run)"])
    expect(problemsOf(code)).toEqual([]);
  expect(problemsOf("`loop.ts`, `gone.ts`")).toEqual(["docs/a.md:2  001: there is no file src/a/gone.ts"]);
  expect(problemsOf("`src/models/loop.ts`")).toEqual(["docs/a.md:2  001: there is no file src/models/loop.ts"]);
  expect(problemsOf("the loop")).toEqual(["docs/a.md:2  001 names no code"]);
});
