// The example of docs/guide/structured-output.md: a build accepts its definitions, and its program type-checks.

import { readFileSync } from "node:fs";

import { expect, it, vi } from "vitest";

import { typeCheck } from "../spec/typed-project.ts";
import { compileWith } from "./temporary-project.ts";

// Each test starts the Workers runtime or a compiler; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const page = readFileSync(new URL("../../docs/guide/structured-output.md", import.meta.url), "utf8");

/** The files that the page quotes, by the path in their first line. */
const files = Object.fromEntries(
  [...page.matchAll(/^```ts(?: example)?\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)].map(([, path = "", text = ""]) => [
    path,
    text,
  ]),
);
const tool = `import { defineTool } from "threadhold";
export default defineTool("Finds an article", async () => ({ status: "success", result: "lamp" }));`;

it("The definitions of the page on structured answers compile without a finding", async () => {
  const definitions = Object.entries(files).filter(([path]) => path.startsWith("agents/"));
  expect(definitions.map(([path]) => path)).toEqual(["agents/prompts/order.ts", "agents/models/fast.ts"]);
  const { diagnostics } = await compileWith({
    ...Object.fromEntries(definitions),
    "agents/tools/find_article.ts": tool,
  });
  expect(diagnostics).toEqual([]);
});

it("The program of the page on structured answers has the types of the prompt's structure", async () => {
  const program = files["app/order.ts"] ?? "";
  const misspelt = program.replace("run.data.express", "run.data.expres");
  expect(misspelt).not.toBe(program);
  expect(await typeCheck({ ...files, "app/misspelt.ts": misspelt })).toEqual([
    expect.stringMatching(/^app\/misspelt\.ts.*TS2551/),
  ]);
});
