// What a build accepts as the structure of a prompt's answers.

import { expect, it, vi } from "vitest";

import { compileWith, good, onlyFinding } from "./temporary-project.ts";

// Each build starts the Workers runtime; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const prompt = (structure: string): Record<string, string> => ({
  "agents/prompts/support.ts": `import { z } from "zod";
${(good["agents/prompts/support.ts"] ?? "").replace("prompt:", `structure: ${structure}, prompt:`)}`,
});
const model = (capabilities: string): Record<string, string> => ({
  "agents/models/fast.ts": `export default { name: "fast", model: "m", provider: "test", script: [], capabilities: ${capabilities} };`,
});
const structure = "z.object({ city: z.string(), celsius: z.number().optional() })";

it("The build accepts a structure of a prompt's answers, also for a model without structured output, because such a model is forced to call a tool", async () => {
  expect((await compileWith(prompt(structure))).diagnostics).toEqual([]);
  const without = await compileWith({ ...prompt(structure), ...model("{ structuredOutputs: false }") });
  expect(without.diagnostics).toEqual([]);
});

it.each([
  ["that is no object", "z.string()", "answers must be a z.object"],
  ["with a type that JSON does not have", "z.object({ at: z.date() })", 'answer "at": z.date()'],
  ["that contains itself", "z.object({ get me() { return z.object({ a: z.lazy(() => z.string()) }); } })", "z.lazy()"],
])("The build refuses a structure of a prompt's answers %s", async (_, given, message) => {
  expect(await onlyFinding(prompt(given))).toMatchObject({
    severity: "error",
    code: "invalid_schema",
    file: "agents/prompts/support.ts",
    message: expect.stringContaining(message),
  });
});

it("The build refuses a structure for a model that supports neither structured output nor tools", async () => {
  const found = await onlyFinding({
    ...prompt(structure),
    ...model("{ structuredOutputs: false, functionCalling: false }"),
  });
  expect(found).toMatchObject({ severity: "error", code: "invalid_field", file: "agents/prompts/support.ts" });
  expect(found.message).toContain('model "fast" supports neither');
});

it("The build refuses a structure for each side of an agent with two sides, and accepts it in an agent with one", async () => {
  const { diagnostics } = await compileWith({
    ...prompt(structure),
    "agents/agents/talk.ts": `import { defineAgent } from "threadhold";
export default defineAgent({ name: "talk", type: "dual_ai", maxSessionTurns: 2,
  sideA: { prompt: "support" },
  sideB: { prompt: "support" } });`,
  });
  expect(diagnostics).toMatchObject([
    { severity: "error", code: "invalid_field", file: "agents/agents/talk.ts", line: 3 },
    { severity: "error", code: "invalid_field", file: "agents/agents/talk.ts", line: 4 },
  ]);
  expect(diagnostics[0]?.message).toContain("messages to its other side");
});
