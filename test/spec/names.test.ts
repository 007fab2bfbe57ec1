// A project's names as types: checked references once the compiler has run, plain strings before.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it, vi } from "vitest";

import { runInProcess } from "../compiler/command.ts";
import { good, writeProject } from "../compiler/temporary-project.ts";
import { typeCheck } from "./typed-project.ts";

// Each test starts processes; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

async function generated(more: Record<string, string> = {}): Promise<Record<string, string>> {
  const root = writeProject({ ...good, ...more });
  expect(await runInProcess(["build", "--root", root])).toMatchObject({ code: 0 });
  const names = ["names.d.ts", "registry.ts", "diagnostics.ts"].map((name) => `.threadhold/${name}`);
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(root, name), "utf8")]));
}

const misspelt = (path: string, from: string, to: string): Record<string, string> => ({
  [path]: (good[path] ?? "").replace(from, to),
});

const prompt = 'name: "x", toolDescription: "", model: "fast"';
const agent = 'name: "x", sideA: { prompt: "support" }';
const side = 'name: "x", sideA: { prompt: "support"';

describe("generated names", () => {
  it("A project with its generated files type-checks", async () => {
    const untyped = { "agents/tools/plain.js": 'export default ["Plain", null, () => {}];' };
    const files = await generated(untyped);
    expect(files[".threadhold/names.d.ts"]).toContain('tools: "plain" | "search_docs";');
    expect(await typeCheck({ ...good, ...untyped, ...files })).toEqual([]);
  });

  it("A misspelt model, prompt or tool is a type error at its position", async () => {
    const files = await generated();
    const prompt = "agents/prompts/support.ts";
    const wrong = {
      ...misspelt(prompt, '"fast"', '"fsat"'),
      "agents/prompts/other.ts": (good[prompt] ?? "").replace('["search_docs"]', '["serch_docs"]'),
      ...misspelt("agents/agents/desk.ts", '"support"', '"suport"'),
    };
    const found = await typeCheck({ ...good, ...files, ...wrong });
    expect(found.toSorted()).toEqual([
      expect.stringMatching(
        /^agents\/agents\/desk\.ts\(2,\d+\): error TS2\d+: Type '"suport"' is not assignable to type '"support"'/,
      ),
      expect.stringMatching(/^agents\/prompts\/other\.ts\(7,11\): error TS\d+: Type '"serch_docs"' is not assignable/),
      expect.stringMatching(
        /^agents\/prompts\/support\.ts\(6,3\): error TS2322: Type '"fsat"' is not assignable to type '"fast"'/,
      ),
    ]);
  });

  it("A typo in any field that refers to a definition is a type error at its position", async () => {
    const files = await generated();
    const definitions: Record<string, [right: string, wrong: string, rest: string]> = {
      "model.fallbacks": ["fast", "fsat", 'defineModel({ name: "x", provider: "test", model: "m", fallbacks: ["@"] })'],
      "prompt.model": ["fast", "fsat", 'definePrompt({ name: "x", toolDescription: "", prompt: "", model: "@" })'],
      "prompt.tools": ["desk", "dsek", `definePrompt({ ${prompt}, prompt: "", tools: ["@"] })`],
      "prompt.tools.name": ["support", "suport", `definePrompt({ ${prompt}, prompt: "", tools: [{ name: "@" }] })`],
      "prompt.include": [
        "support",
        "suport",
        `definePrompt({ ${prompt}, prompt: [{ type: "include", prompt: "@" }] })`,
      ],
      "agent.sideA.prompt": ["support", "suport", 'defineAgent({ name: "x", sideA: { prompt: "@" } })'],
      "agent.sideB.prompt": ["support", "suport", `defineAgent({ ${agent}, sideB: { prompt: "@" } })`],
      "agent.stopTool": ["search_docs", "serch_docs", `defineAgent({ ${side}, stopTool: "@" } })`],
      "agent.endSessionTool": ["search_docs", "serch_docs", `defineAgent({ ${side}, endSessionTool: "@" } })`],
      "tool.dependsOn": ["search_docs", "serch_docs", 'defineTool("x", null, work, { dependsOn: ["@"] })'],
    };
    const source = (body: string, name: string): string => `import * as spec from "threadhold";
const work = async () => ({ status: "success" as const });
export default spec.${body.replace("@", name)};
export { work };
`;
    const written = Object.entries(definitions).flatMap(([field, [right, wrong, body]]) => [
      [`agents/right/${field}.ts`, source(body, right)],
      [`agents/wrong/${field}.ts`, source(body, wrong)],
    ]);
    const refused = await typeCheck({ ...good, ...files, ...(Object.fromEntries(written) as Record<string, string>) });
    const fields = refused.map((line) => /^agents\/wrong\/(.*)\.ts\(3,/.exec(line)?.[1]);
    expect(fields).toHaveLength(Object.keys(definitions).length);
    expect(new Set(fields)).toEqual(new Set(Object.keys(definitions)));
  });

  it("Without generated files, any text type-checks as the name of a definition, also with imports from @standardagents/spec", async () => {
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
