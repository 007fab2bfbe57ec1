// The page on models as functions: its programs have correct types.

import { readFileSync } from "node:fs";

import { expect, it, vi } from "vitest";

import { typeCheck } from "../spec/typed-project.ts";

// The test starts a compiler; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 120_000 });

const page = readFileSync(new URL("../../docs/guide/upp.md", import.meta.url), "utf8");

/** The programs of the page, by the path in their first line. */
const files = Object.fromEntries(
  [...page.matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)].map(([, path = "", text = ""]) => [path, text]),
);

it("Every program of the page on models as functions is type-checked without an error", async () => {
  expect(Object.keys(files)).toEqual(["src/weather.ts", "src/tomorrow.ts", "src/recording.ts", "src/connection.ts"]);
  expect(page.match(/^```ts$/gm)).toHaveLength(Object.keys(files).length);
  const misspelt = files["src/recording.ts"]?.replace("mimeType:", "mimetype:") ?? "";
  expect(await typeCheck({ ...files, "src/misspelt.ts": misspelt }, { types: ["node"] })).toEqual([
    expect.stringMatching(/^src\/misspelt\.ts.*TS2353/),
  ]);
});
