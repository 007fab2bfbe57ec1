// The built-in tools in a project's build: a built-in tool is registered when a definition names it, and a project's definition with the
// same name replaces it.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it, vi } from "vitest";

import { builtInTools } from "#compiler/built-in-tool-names.ts";

import { runInProcess } from "./command.ts";
import { compileWith, good, packageRoot, writeProject } from "./temporary-project.ts";

// Each test starts processes; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const read = (root: string, path: string): string => readFileSync(join(root, path), "utf8");
const build = (root: string) => runInProcess(["build", "--root", root]);
const prompt = (tools: string) =>
  (good["agents/prompts/support.ts"] ?? "").replace('tools: ["search_docs"]', `tools: ${tools}`);

it("If a prompt names a built-in tool, the build adds the tool to the registry and to the project's types", async () => {
  const root = writeProject({ ...good, "agents/prompts/support.ts": prompt('["search_docs", "read_file"]') });
  expect(await build(root)).toMatchObject({ code: 0, stderr: "" });
  const registry = read(root, ".threadhold/registry.ts");
  expect(registry).toContain('"read_file": () => import("threadhold/tools/files").then((module) => module.readFile),');
  expect(registry).toContain('"read_file": "threadhold/tools/files",');
  expect(registry).not.toContain("edit_file");
  expect(read(root, ".threadhold/names.d.ts")).toContain('tools: "search_docs" | "read_file";');
});

it("The registry imports no built-in tool if no definition names one", async () => {
  const root = writeProject(good);
  expect(await build(root)).toMatchObject({ code: 0 });
  expect(read(root, ".threadhold/registry.ts")).not.toContain("threadhold/tools");
});

it("A project's tool with the name of a built-in tool replaces the built-in tool, and the build prints a note", async () => {
  const root = writeProject({
    ...good,
    "agents/prompts/support.ts": prompt('["search_docs", "read_file"]'),
    "agents/tools/read_file.ts": `import { createReadFileTool } from "threadhold/tools/files";
export default createReadFileTool({ maxBytes: 1000 });`,
  });
  const { code, stdout } = await build(root);
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('agents/tools/read_file.ts replaces the built-in tool "read_file"'),
  ]);
  const registry = read(root, ".threadhold/registry.ts");
  expect(registry).toContain('() => import("../agents/tools/read_file.ts")');
  expect(registry).not.toContain("threadhold/tools/files");
});

it("A misspelt name of a built-in tool is an error with a suggestion", async () => {
  const { diagnostics } = await compileWith({ "agents/prompts/support.ts": prompt('["search_docs", "read_fil"]') });
  expect(diagnostics).toMatchObject([{ code: "unknown_tool", suggestion: "read_file" }]);
});

it("Every built-in tool is exported by an entry of the package", async () => {
  const { exports } = JSON.parse(read(packageRoot, "package.json")) as { exports: Record<string, string> };
  for (const [name, { entry, member }] of builtInTools) {
    const file = exports[entry.replace("threadhold", ".")];
    const module = (await import(join(packageRoot, file ?? `no entry of ${name}`))) as Record<string, unknown>;
    expect([name, module[member]]).toEqual([name, expect.any(Array)]);
  }
});

it("The definitions in the guide on coding tools compile without a finding", async () => {
  const guide = read(packageRoot, "docs/guide/coding-tools.md");
  const files = [...guide.matchAll(/```ts example\n\/\/ (agents\/\S+)\n([\s\S]*?)```/g)];
  expect(files.map(([, path]) => path)).toEqual([
    "agents/tools/bash.ts",
    "agents/tools/bash.ts",
    "agents/tools/bash.ts",
    "agents/tools/page_title.ts",
  ]);
  // In one project, because each build bundles the shell.
  const all = files.map(([, path = "", text = ""], at) => [at === 0 ? path : path.replace(".ts", `_${at}.ts`), text]);
  expect((await compileWith(Object.fromEntries(all))).diagnostics).toEqual([]);
});
