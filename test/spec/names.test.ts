// A project's own names as types: checked references once the compiler has run, plain strings before.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it, vi } from "vitest";

import { runScript } from "../compiler/command.ts";
import { good, writeProject } from "../compiler/temporary-project.ts";
import { typeCheck } from "./typed-project.ts";

// Each test starts processes; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

async function generated(more: Record<string, string> = {}): Promise<Record<string, string>> {
  const root = writeProject({ ...good, ...more });
  expect(await runScript("compile.mjs", ["--root", root])).toMatchObject({ code: 0 });
  const names = ["names.d.ts", "registry.ts", "diagnostics.ts"].map((name) => `.threadhold/${name}`);
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(root, name), "utf8")]));
}

const misspelt = (path: string, from: string, to: string): Record<string, string> => ({
  [path]: (good[path] ?? "").replace(from, to),
});

describe("generated names", () => {
  it("SPEC5 a project with its generated files type-checks", async () => {
    const untyped = { "agents/tools/plain.js": 'export default ["Plain", null, () => {}];' };
    const files = await generated(untyped);
    expect(files[".threadhold/names.d.ts"]).toContain('tools: "plain" | "search_docs";');
    expect(await typeCheck({ ...good, ...untyped, ...files })).toEqual([]);
  });

  it("SPEC6 a misspelt model, prompt or tool is a type error at its place", async () => {
    const files = await generated();
    const check = (path: string, from: string, to: string): Promise<string[]> =>
      typeCheck({ ...good, ...files, ...misspelt(path, from, to) });
    expect(await check("agents/prompts/support.ts", '"fast"', '"fsat"')).toEqual([
      expect.stringMatching(
        /^agents\/prompts\/support\.ts\(6,3\): error TS2322: Type '"fsat"' is not assignable to type '"fast"'/,
      ),
    ]);
    expect((await check("agents/prompts/support.ts", '["search_docs"]', '["serch_docs"]'))[0]).toMatch(
      /^agents\/prompts\/support\.ts\(7,11\): error TS\d+: Type '"serch_docs"' is not assignable/,
    );
    expect((await check("agents/agents/desk.ts", '"support"', '"suport"'))[0]).toMatch(
      /^agents\/agents\/desk\.ts\(2,\d+\): error TS2\d+: Type '"suport"' is not assignable to type '"support"'/,
    );
  });

  it("SPEC7 without generated names, and through the document's own module name, any name type-checks", async () => {
    const typo = misspelt("agents/prompts/support.ts", '"fast"', '"fsat"');
    expect(await typeCheck({ ...good, ...typo })).toEqual([]);
    const files = await generated();
    const renamed = Object.fromEntries(
      Object.entries(good).map(([path, text]) => [path, text.replace('"threadhold"', '"@standardagents/spec"')]),
    );
    expect(await typeCheck({ ...renamed })).toEqual([]);
    const text = (renamed["agents/prompts/support.ts"] ?? "").replace('"fast"', '"fsat"');
    expect(await typeCheck({ ...renamed, ...files, "agents/prompts/support.ts": text })).toHaveLength(1);
  });
});
