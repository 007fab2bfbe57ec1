// The gate runs every step, shows every failure and counts them.

import { expect, it } from "vitest";

import { runSteps } from "../../scripts/lib/steps.mjs";

const step = (name: string, code: number, output = "") => ({ name, run: async () => ({ code, output }) });

it("All checks run although one fails, and the output of each failed check is shown at the end", async () => {
  let text = "";
  const failed = await runSteps([step("a", 1, "broken a"), step("b", 0, "silent"), step("c", 2, "broken c")], {
    write: (part) => (text += part),
    width: 1,
  });
  expect(failed).toBe(2);
  expect(text).toMatch(/FAIL {2}a .*\nok {4}b .*\nFAIL {2}c .*\n/);
  expect(text).toMatch(/── a ──\nbroken a\n\n── c ──\nbroken c\n/);
  expect(text).not.toContain("silent");
  expect(text).toContain("2 of 3 checks failed");
});

it("At most the allowed number of checks run at the same time", async () => {
  let running = 0;
  let most = 0;
  const slow = (name: string) => ({
    name,
    run: async () => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
      return { code: 0, output: "" };
    },
  });
  expect(await runSteps(["a", "b", "c", "d"].map(slow), { write: () => undefined, width: 2 })).toBe(0);
  expect(most).toBe(2);
});
