// Counts what vitest's JSON report says. A run that went wrong never counts as zero failures.

/** @typedef {{ status: string, assertionResults: { status: string }[] }} FileReport */

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
