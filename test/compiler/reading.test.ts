// What counts as a definition, and the findings about modules that cannot be read.

import { describe, expect, it, vi } from "vitest";

import { compileProject } from "#compiler/compile.ts";
import { registrySource } from "#compiler/generated-source.ts";

import { compileWith, findingsOf, good, onlyFinding, packageRoot, writeProject } from "./temporary-project.ts";

// Each build starts the Workers runtime; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const tool = `import { defineTool } from "threadhold";
export default defineTool("Does", async () => ({ status: "success" }));`;

describe("discovery", () => {
  it("The build reads .ts, .js and .mjs files in the folders of definitions and in their subfolders, and names a tool by its file", async () => {
    const { project, diagnostics } = await compileWith({
      "agents/tools/crm/find_lead.ts": tool,
      "agents/tools/plain.js": tool,
      "agents/tools/module.mjs": tool,
    });
    expect(diagnostics).toEqual([]);
    expect(project.tools.map(({ name }) => name).toSorted()).toEqual(["find_lead", "module", "plain", "search_docs"]);
    expect(project.models.map(({ name }) => name)).toEqual(["fast"]);
    expect(project.agents.map(({ name }) => name)).toEqual(["desk"]);
  });

  it("The build leaves out tests, declarations and files that begin with _ or .", async () => {
    const broken = "this is no TypeScript (";
    const { project, diagnostics } = await compileWith({
      "agents/tools/a.test.ts": broken,
      "agents/tools/b.d.ts": broken,
      "agents/tools/_shared.ts": broken,
      "agents/tools/.hidden.ts": broken,
      "agents/tools/_folder/c.ts": broken,
      "agents/tools/notes.md": broken,
    });
    expect(diagnostics).toEqual([]);
    expect(project.tools.map(({ name }) => name)).toEqual(["search_docs"]);
  });

  it("The build warns about an absent or empty agents folder and gives an empty project", async () => {
    for (const root of [writeProject({}), writeProject({ "agents/tools/.keep": "" })]) {
      const { diagnostics, project } = await compileProject(root, packageRoot);
      expect(diagnostics).toMatchObject([{ severity: "warning", code: "no_definitions", file: "agents" }]);
      expect(project.tools).toEqual([]);
    }
  });

  it("The build reads modules that import from the Workers runtime, extend its classes and read its env", async () => {
    const { diagnostics, project } = await compileWith({
      "agents/tools/runtime.ts": `import { defineTool } from "threadhold";
import { DurableObject, env } from "cloudflare:workers";
import * as sockets from "cloudflare:sockets";
class Thing extends DurableObject { constructor() { super({}, {}); } }
const url = \`\${env.HOST}/\${env.DEEP.PATH}\` + sockets.connect("x").opened + new Thing();
export default defineTool("Uses " + url.slice(0, 0), async () => ({ status: "success" }));`,
    });
    expect(diagnostics).toEqual([]);
    expect(project.tools.map(({ name }) => name)).toContain("runtime");
  });
});

describe("modules that cannot be read", () => {
  it("The build reports a syntax error with line and column, and still checks the other files", async () => {
    const { diagnostics } = await compileWith({
      "agents/tools/broken.ts": `import { defineTool } from "threadhold";
export default defineTool("Boom", async () => ({ status: "success" );`,
      "agents/models/other.ts": `export default { name: "other", provider: "test", model: "x", fallbacks: ["fsat"] };`,
    });
    expect(diagnostics).toMatchObject([
      { code: "unknown_model", file: "agents/models/other.ts", line: 1, suggestion: "fast" },
      { severity: "error", code: "syntax", file: "agents/tools/broken.ts", line: 2, column: 68 },
    ]);
  });

  it("The build reports an unclosed string at its beginning, and an unclosed bracket at the error with a note of the bracket's position", async () => {
    const template = ["export default {", '  name: "x",', "  text: `Hello,", "};", ""].join("\n");
    expect(await onlyFinding({ "agents/models/bad.ts": template })).toMatchObject({
      code: "syntax",
      line: 3,
      column: 9,
    });
    const bracket = "export default {\n  list: [1, 2,\n  name: 3,\n};\n";
    const finding = await onlyFinding({ "agents/models/bad.ts": bracket });
    expect(finding).toMatchObject({ code: "syntax", line: 3, column: 7 });
    expect(finding.notes).toEqual(["the bracket at agents/models/bad.ts:2:9 is not closed"]);
  });

  it("The build reports an error that a module throws at the line that threw, also if that line is in a helper module", async () => {
    const { diagnostics } = await compileWith({
      "agents/tools/boom.ts": `import { defineTool } from "threadhold";

const settings = JSON.parse("{");
export default defineTool(String(settings), async () => ({ status: "success" }));`,
      "agents/_lib/limit.ts": `export function limit(): number {
  throw new RangeError("no limit set");
}`,
      "agents/tools/second.ts": `import { limit } from "../_lib/limit.ts";
export default [\`\${limit()}\`, null, () => {}];`,
      "agents/tools/third.ts": `import { limit } from "../_lib/limit.ts";
export default [\`\${limit()}\`, null, () => {}];`,
    });
    // The error of the helper is reported once, although two definitions import it.
    expect(diagnostics).toHaveLength(2);
    expect(diagnostics[0]).toMatchObject({
      code: "evaluation",
      file: "agents/_lib/limit.ts",
      line: 2,
      column: 9,
      message: expect.stringContaining("no limit set"),
      notes: ["loaded by agents/tools/second.ts", "loaded by agents/tools/third.ts"],
    });
    expect(diagnostics[1]).toMatchObject({ code: "evaluation", file: "agents/tools/boom.ts", line: 3, column: 23 });
    expect(diagnostics[1]?.source).toBe('const settings = JSON.parse("{");');
  });

  it("The build reports an error at the beginning of its file if the file was changed since it was bundled", async () => {
    const finding = await onlyFinding({
      "agents/tools/edited.ts": `const { writeFileSync } = process.getBuiltinModule("node:fs");
writeFileSync(new URL("../agents/tools/edited.ts", import.meta.url), "\\n\\n\\n\\nawait 1;\\nawait 2;\\nawait 3;\\n");
throw new Error("edited meanwhile");`,
    });
    expect(finding).toMatchObject({ code: "evaluation", file: "agents/tools/edited.ts", line: 1, column: 1 });
    expect(finding.message).toContain("edited meanwhile");
  });

  it("The build reports an import of a file that does not exist, and of an export that does not exist", async () => {
    const [missing] = await findingsOf("import", {
      "agents/tools/lost.ts": `import { x } from "./nowhere.ts";\nexport default [x, null, () => {}];`,
    });
    expect(missing).toMatchObject({ severity: "error", file: "agents/tools/lost.ts", line: 1, column: 19 });
    expect(missing?.message).toContain("./nowhere.ts");
    const [named] = await findingsOf("import", {
      "agents/_lib/names.ts": "export const greeting = 'hi';",
      "agents/tools/lost.ts": `import { greting } from "../_lib/names.ts";\nexport default [greting, null, () => {}];`,
    });
    expect(named).toMatchObject({ file: "agents/tools/lost.ts", line: 1, column: 10, suggestion: "greeting" });
  });

  it("The build does not call a reference unknown if its target is the file that cannot be read", async () => {
    expect(
      await onlyFinding({
        "agents/models/fast.ts": `export default { name: "fast", provider: "test", model: nothing };`,
      }),
    ).toMatchObject({ code: "evaluation", file: "agents/models/fast.ts", line: 1 });
    expect(await onlyFinding({ "agents/models/fast.ts": "export default {{" })).toMatchObject({ code: "syntax" });
    // A broken tool is known by its file's name, so unknown references to other names are still reported.
    const codes = await compileWith({
      "agents/tools/broken.ts": "export default defineTool(",
      "agents/prompts/p.ts": `export default {
  name: "p", toolDescription: "", prompt: "", model: "fast", tools: ["broken", "serch_docs"] };`,
    });
    expect(codes.diagnostics).toMatchObject([
      { code: "unknown_tool", message: 'unknown tool "serch_docs"', line: 2 },
      { code: "syntax", file: "agents/tools/broken.ts" },
    ]);
  });

  it("If a module rejects a promise without handling it, the build reports the line and completes", async () => {
    expect(
      await onlyFinding({
        "agents/tools/stray.ts": `import { defineTool } from "threadhold";
void Promise.reject(new Error("forgotten"));
export default defineTool("Strays", async () => ({ status: "success" }));`,
      }),
    ).toMatchObject({ code: "evaluation", file: "agents/tools/stray.ts", line: 2 });
  });
});

describe("default exports", () => {
  it("The build reports a missing default export and shows how to write it", async () => {
    expect(await onlyFinding({ "agents/tools/empty.ts": "export const x = 1;" })).toMatchObject({
      severity: "error",
      code: "missing_default_export",
      file: "agents/tools/empty.ts",
      suggestion: "export default defineTool(…)",
    });
  });

  it("The build reports the wrong kind of definition and names the folder it belongs in", async () => {
    expect(await onlyFinding({ "agents/models/wrong.ts": `\n${good["agents/prompts/support.ts"]}` })).toMatchObject({
      code: "wrong_kind",
      file: "agents/models/wrong.ts",
      line: 3,
      column: 16,
      suggestion: "agents/prompts/",
      message: expect.stringContaining("is a prompt"),
    });
    expect(await onlyFinding({ "agents/hooks/h.ts": "export default async () => {};" })).toMatchObject({
      code: "wrong_kind",
      message: expect.stringContaining("defineHook"),
    });
    expect(await onlyFinding({ "agents/filters/f.ts": "export default () => ({ action: 'pass' });" })).toMatchObject({
      code: "wrong_kind",
      message: expect.stringContaining("defineFilter"),
    });
    const filter = `import { defineFilter } from "threadhold";\nexport default defineFilter(() => ({ action: "pass" }));`;
    expect(await onlyFinding({ "agents/hooks/f.ts": filter })).toMatchObject({
      code: "wrong_kind",
      message: expect.stringContaining("is a filter"),
      suggestion: "agents/filters/",
    });
    expect(await onlyFinding({ "agents/api/x.ts": "export default 7;" })).toMatchObject({
      code: "wrong_kind",
      line: 1,
    });
  });

  it.each([
    ["AI SDK", '{ description: "Finds", inputSchema: z.object({ q: z.string() }), execute: async () => "x" }'],
    ["AI SDK of an older version", '{ description: "Finds", parameters: z.object({}), execute: async () => "x" }'],
    ["Mastra", '{ id: "find", description: "Finds", inputSchema: z.object({}), execute: async () => ({}) }'],
  ])("A tool in the form of the %s is one error that shows the form of defineTool", async (_, value) => {
    const files = {
      "agents/tools/find.ts": `import { z } from "zod";\nexport default ${value};`,
      "agents/prompts/support.ts": (good["agents/prompts/support.ts"] ?? "").replace('"search_docs"', '"find"'),
    };
    expect(await onlyFinding(files)).toMatchObject({
      code: "wrong_kind",
      line: 2,
      message: "the default export is a tool of another package, such as the AI SDK, and not made by defineTool",
      suggestion: "export default defineTool(description, inputSchema, async (state, args) => …)",
    });
  });

  it("The build reports a tool file whose name is no valid tool name, and suggests a valid one", async () => {
    expect(await onlyFinding({ "agents/tools/9 lives.ts": tool })).toMatchObject({
      code: "bad_file_name",
      file: "agents/tools/9 lives.ts",
      suggestion: "_9_lives",
    });
    expect(await onlyFinding({ [`agents/tools/${"a".repeat(65)}.ts`]: tool })).toMatchObject({ code: "bad_file_name" });
  });

  it("The build reports an unknown hook with the nearest name", async () => {
    expect(
      await onlyFinding({
        "agents/hooks/trim.ts": `import { defineHook } from "threadhold";
export default defineHook("filter_mesages" as never, async () => []);`,
      }),
    ).toMatchObject({
      code: "unknown_hook",
      file: "agents/hooks/trim.ts",
      line: 2,
      column: 27,
      suggestion: "filter_messages",
    });
  });

  it("A hook may be a pair of name and function, as in Standard Agents", async () => {
    const pair = { "agents/hooks/trim.ts": `export default ["filter_messages", async (_s, list) => list.slice(-2)];` };
    const { diagnostics, project } = await compileWith(pair);
    expect(diagnostics).toEqual([]);
    expect(project.hooks).toEqual([{ hook: "filter_messages", file: "agents/hooks/trim.ts", pair: true }]);
    expect(registrySource(project, "", "..")).toContain(
      'import("../agents/hooks/trim.ts").then((module) => module.default[1])',
    );
    expect(
      await onlyFinding({ "agents/hooks/trim.ts": pair["agents/hooks/trim.ts"].replace("messages", "mesages") }),
    ).toMatchObject({
      code: "unknown_hook",
      line: 1,
      column: 17,
      suggestion: "filter_messages",
    });
  });
});
