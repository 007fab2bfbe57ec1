// The example of docs/guide/existing-worker.md type-checks in a project as a user has it: with the generated modules and the types of Workers.

import { readFileSync } from "node:fs";

import { expect, it, vi } from "vitest";

import { diagnosticsSource, registrySource } from "#compiler/generated-source.ts";
import { emptyProject } from "#compiler/project.ts";

import { typeCheck } from "../spec/typed-project.ts";

// The test starts a compiler; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const page = readFileSync(new URL("../../docs/guide/existing-worker.md", import.meta.url), "utf8");

/** The modules that the page shows, by the path in their first line. */
const shown = Object.fromEntries(
  [...page.matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)].map(([, path = "", text = ""]) => [path, text]),
);

it("The main module of the page on existing Workers type-checks, and without the types of its bindings it does not", async () => {
  expect(Object.keys(shown)).toEqual(["src/index.ts"]);
  const main = shown["src/index.ts"] ?? "";
  const untyped = main.replace("<{ Bindings: ThreadholdBindings }>", "");
  expect(untyped).not.toBe(main);
  const found = await typeCheck({
    "src/index.ts": main,
    "src/untyped.ts": untyped,
    "src/session.ts": `export async function userOfSession(_request: Request, _env: object): Promise<{ id: string; isOperator: boolean } | null> {
  return null;
}
`,
    // The package is used from its sources here.
    "src/sql.d.ts": 'declare module "*.sql" {\n  const text: string;\n  export default text;\n}\n',
    ".threadhold/registry.ts": registrySource(emptyProject(), "hash", ".."),
    ".threadhold/diagnostics.ts": diagnosticsSource([]),
  });
  expect(found).toEqual([expect.stringMatching(/^src\/untyped\.ts.*TS2345/)]);
});
