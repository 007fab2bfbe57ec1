// Counts the tests in vitest's JSON report. A run without a valid report never counts as zero failures.

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
    // A file that failed outside of its tests, while loading or in a hook, has no failed test.
    if (file.status === "failed" && count.failed === failedBefore) count.failed++;
  }
  if (exitCode !== 0 && count.failed === 0) count.failed = 1;
  return count;
}

/** UTF-16 units of a test's failure message that are shown. */
const shownMessage = 600;

/**
 * The failed tests, one line each, with the beginning of each failure message.
 *
 * @param {{ testResults?: FileReport[] } | undefined} report
 * @param {number} exitCode vitest's own
 * @returns {string[]}
 */
export function failedTests(report, exitCode) {
  const lines = (report?.testResults ?? []).flatMap(({ status, name = "", message, assertionResults }) => {
    const file = name.replace(/^.*\/(?=test\/)/, "");
    const failed = assertionResults.filter((test) => test.status === "failed");
    if (failed.length === 0 && status === "failed") return [`FAILED ${file}: ${beginning(message ?? "")}`];
    return failed.map(({ fullName, failureMessages = [] }) => {
      return `FAILED ${file}: ${fullName}: ${failureMessages.map(beginning).join(" | ")}`;
    });
  });
  return lines.length > 0 || exitCode === 0 ? lines : [`FAILED outside every test: vitest ended with ${exitCode}`];
}

/** @param {string} message */
function beginning(message) {
  return message.slice(0, shownMessage).replaceAll(/\s+/g, " ");
}
