// The page on agents as functions: its programs have correct types.

import { readFileSync } from "node:fs";

import { expect, it, vi } from "vitest";

import { typeCheck } from "../../spec/typed-project.ts";

// The test starts a compiler; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 120_000 });

const page = readFileSync(new URL("../../../docs/guide/agents-as-functions.md", import.meta.url), "utf8");

/** The programs of the page, by the path in their first line. */
const files = Object.fromEntries(
  [...page.matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)].map(([, path = "", text = ""]) => [path, text]),
);

it("Every program of the page on agents as functions is type-checked without an error", async () => {
  expect(Object.keys(files)).toContain("src/first.ts");
  expect(page.match(/^```ts$/gm)).toHaveLength(Object.keys(files).length);
  const misspelt = files["src/first.ts"]?.replace("maxSteps: 20", "maxStep: 20") ?? "";
  expect(await typeCheck({ ...files, "src/misspelt.ts": misspelt })).toEqual([
    expect.stringMatching(/^src\/misspelt\.ts.*TS2561/),
  ]);
});
