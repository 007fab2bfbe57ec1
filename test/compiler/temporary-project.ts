// A project in a temporary folder for one test. `good` is the smallest project that has every kind of named definition. Each test adds or
// replaces files and checks the compiler's findings.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { onTestFinished } from "vitest";

import { compileProject, type Compilation } from "#compiler/compile.ts";
import type { Diagnostic, DiagnosticCode } from "#spec/diagnostic.ts";

export const packageRoot = fileURLToPath(new URL("../..", import.meta.url));

export type Files = Record<string, string>;

/** Files that compile without a finding. */
export const good: Files = {
  "agents/models/fast.ts": `import { defineModel } from "threadhold";
export default defineModel({ name: "fast", provider: "test", model: "scripted", script: [] });`,
  "agents/prompts/support.ts": `import { definePrompt } from "threadhold";
export default definePrompt({
  name: "support",
  toolDescription: "Supports",
  prompt: "Help.",
  model: "fast",
  tools: ["search_docs"],
});`,
  "agents/agents/desk.ts": `import { defineAgent } from "threadhold";
export default defineAgent({ name: "desk", sideA: { prompt: "support" } });`,
  "agents/tools/search_docs.ts": `import { defineTool } from "threadhold";
import { z } from "zod";
export default defineTool("Searches", z.object({ q: z.string() }), async (_state, args) => ({
  status: "success",
  result: args.q,
}));`,
};

/** Writes a project that is deleted when the test is over. */
export function writeProject(files: Files, under: string = tmpdir()): string {
  mkdirSync(under, { recursive: true });
  const root = mkdtempSync(join(under, "threadhold-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  writeFiles(root, files);
  return root;
}

export function writeFiles(root: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** Compiles `good` with some files added or replaced. */
export function compileWith(files: Files): Promise<Compilation> {
  return compileProject(writeProject({ ...good, ...files }), packageRoot);
}

/** Returns the only finding. If there is not exactly one, the test fails and shows all findings. */
export async function onlyFinding(files: Files): Promise<Diagnostic> {
  const { diagnostics } = await compileWith(files);
  const [finding] = diagnostics;
  if (!finding || diagnostics.length > 1) {
    throw new Error(`expected one finding, got ${JSON.stringify(diagnostics, null, 2)}`);
  }
  return finding;
}

/** The findings of one code. */
export async function findingsOf(code: DiagnosticCode, files: Files): Promise<Diagnostic[]> {
  return (await compileWith(files)).diagnostics.filter((finding) => finding.code === code);
}
