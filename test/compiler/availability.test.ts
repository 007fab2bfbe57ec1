// Options that the types accept and the runtime does not support: the build refuses them, so that none is ignored silently.

import { describe, expect, it, vi } from "vitest";

import { providers } from "#compiler/definition-shape.ts";
import { providers as runtimeProviders, unavailableProvider } from "#models/provider/providers.ts";

import { compileWith, good, onlyFinding } from "./temporary-project.ts";

// Each build starts the Workers runtime; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const agent = (fields: string, side = ""): Record<string, string> => ({
  "agents/agents/desk.ts": `import { defineAgent } from "threadhold";
export default defineAgent({ name: "desk", ${fields}
  sideA: { prompt: "support", ${side} } });`,
});
const prompt = (fields: string): Record<string, string> => ({
  "agents/prompts/support.ts": (good["agents/prompts/support.ts"] ?? "").replace("prompt:", `${fields} prompt:`),
});
const model = (fields: string): Record<string, string> => ({
  "agents/models/fast.ts": `export default { name: "fast", model: "m", ${fields} };`,
});

describe("options that are not available", () => {
  it("A build accepts exactly the providers that the runtime supports", () => {
    const accepted = providers.filter((provider) => unavailableProvider({ provider }) === undefined);
    expect(accepted.toSorted()).toEqual(runtimeProviders.map(({ name }) => name).toSorted());
  });

  it("The build accepts filters, the strategies loop and plan, modelOrder, and a capability that is set to false", async () => {
    const { diagnostics } = await compileWith({
      ...agent(
        `filters: [() => ({ action: "pass" })], strategy: { type: "loop", maxIterations: 3 },`,
        `filters: [], strategy: { type: "plan", maxPlanSteps: 2 }`,
      ),
      ...prompt("modelOrder: true,"),
      ...model(`provider: "test", script: [], capabilities: { structuredOutputs: false }`),
    });
    expect(diagnostics).toEqual([]);
  });

  it("The build warns about needsApproval of a remote tool, because the option has no effect there", async () => {
    expect(
      await onlyFinding({
        "agents/tools/ask.ts": `import { defineTool } from "threadhold";
export default defineTool("Asks", null, undefined, { needsApproval: true });`,
      }),
    ).toMatchObject({ severity: "warning", code: "not_available", line: 2, file: "agents/tools/ask.ts" });
  });
});
