// The last line of a test run has the correct counts, however the run ended.

import { expect, it } from "vitest";

import { countTests, failedTests } from "../../scripts/lib/test-count.mjs";

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((test) => ({ status: test })),
});

it("The summary of a test run counts the tests that passed, failed and were skipped", () => {
  const report = { testResults: [file("passed", "passed", "passed", "skipped"), file("failed", "failed", "passed")] };
  expect(countTests(report, 1)).toEqual({ passed: 3, failed: 1, skipped: 1 });
});

it("The summary of a test run counts a test file that fails outside of its tests as a failure", () => {
  expect(countTests({ testResults: [file("failed"), file("passed", "passed")] }, 1)).toMatchObject({ failed: 1 });
});

it("The summary of a failed test run never reports 0 failures, also without a report or with passed tests only", () => {
  expect(countTests(undefined, 1)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(countTests({ testResults: [file("passed", "passed")] }, 1)).toMatchObject({ passed: 1, failed: 1 });
});

it("The summary of a test run names each failed test or file with all reasons", () => {
  const failureMessages = ["AssertionError:\n  no", "Error: The test failed while it waited for: a pong"];
  const failed = { status: "failed", fullName: "a thing works", failureMessages };
  const report = {
    testResults: [
      { status: "failed", name: "/somewhere/test/a.test.ts", assertionResults: [failed, { status: "passed" }] },
      { status: "failed", name: "/somewhere/test/b.test.ts", message: "cannot load", assertionResults: [] },
    ],
  };
  expect(failedTests(report, 1)).toEqual([
    "FAILED test/a.test.ts: a thing works: AssertionError: no | Error: The test failed while it waited for: a pong",
    "FAILED test/b.test.ts: cannot load",
  ]);
  expect(failedTests({ testResults: [file("passed", "passed")] }, 1)).toHaveLength(1);
  expect(failedTests({ testResults: [file("passed", "passed")] }, 0)).toEqual([]);
});
