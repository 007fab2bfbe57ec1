// Counts what vitest's JSON report says. A run that went wrong never counts as zero failures.

/**
 * @typedef {{ status: string, fullName?: string, failureMessages?: string[] }} TestReport
 * @typedef {{ status: string, name?: string, message?: string, assertionResults: TestReport[] }} FileReport
 */

/**
 * @param {{ testResults?: FileReport[] } | undefined} report undefined if vitest ended without writing one
 * @param {number} exitCode vitest's own
 */
export function countTests(report, exitCode) {
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const file of report?.testResults ?? []) {
    const failedBefore = count.failed;
    for (const test of file.assertionResults) {
      if (test.status === "passed") count.passed++;
      else if (test.status === "failed") count.failed++;
      else count.skipped++;
    }
    // A file that broke outside its tests, while loading or in a hook, has no failed test to show for it.
    if (file.status === "failed" && count.failed === failedBefore) count.failed++;
  }
  if (exitCode !== 0 && count.failed === 0) count.failed = 1;
  return count;
}

/** UTF-16 units that are shown of what a test said when it failed. */
const shownMessage = 600;

/**
 * The tests that failed, a line each with the beginning of why.
 *
 * @param {{ testResults?: FileReport[] } | undefined} report
 * @param {number} exitCode vitest's own
 * @returns {string[]}
 */
export function failedTests(report, exitCode) {
  const lines = (report?.testResults ?? []).flatMap(({ status, name = "", message, assertionResults }) => {
    const file = name.replace(/^.*\/(?=test\/)/, "");
    const failed = assertionResults.filter((test) => test.status === "failed");
    if (failed.length === 0 && status === "failed") return [`FAILED ${file}: ${beginning(message)}`];
    return failed.map((test) => `FAILED ${file}: ${test.fullName}: ${beginning(test.failureMessages?.[0])}`);
  });
  return lines.length > 0 || exitCode === 0 ? lines : [`FAILED outside every test: vitest ended with ${exitCode}`];
}

/** @param {string | undefined} message */
function beginning(message = "") {
  return message.slice(0, shownMessage).replaceAll(/\s+/g, " ");
}
