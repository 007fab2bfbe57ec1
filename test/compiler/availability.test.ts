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
  it.each([
    [
      "filters of an agent",
      agent(`filters: [() => ({ action: "reject", reason: "no" })],`),
      2,
      "filters are not available",
    ],
    ["filters of a side", agent("", `filters: [() => ({ action: "pass" })]`), 3, "filters are not available"],
    [
      "the strategy react",
      agent("", `strategy: "react"`),
      3,
      'strategy "react" is not available yet; available is "loop"',
    ],
    ["the strategy plan with options", agent(`strategy: { type: "plan", maxPlanSteps: 3 },`), 2, 'strategy "plan"'],
    ["a bound of the loop", agent("", `strategy: { type: "loop", maxIterations: 3 }`), 3, "maxSteps and limits"],
    ["modelOrder", prompt("modelOrder: true,"), 5, "modelOrder is not available yet"],
    ["context", prompt("context: { maxTokens: 1000 },"), 5, "context (compaction) is not available yet"],
  ])("%s is an error that names the supported values", async (_what, files, line, message) => {
    const finding = await onlyFinding(files);
    expect(finding).toMatchObject({ severity: "error", code: "not_available", line });
    expect(finding.message).toContain(message);
  });

  it.each(["openai-compatible", "azure", "vertex", "bedrock", "workers-ai"])(
    "The build reports a model of the unavailable provider %s, and lists the available providers",
    async (provider) => {
      expect(await onlyFinding(model(`provider: "${provider}"`))).toMatchObject({
        severity: "error",
        code: "not_available",
        message: `provider "${provider}" is not available yet; available are ${runtimeProviders.map(({ name }) => name).join(", ")}`,
      });
    },
  );

  it("A build accepts exactly the providers that the runtime supports", () => {
    const accepted = providers.filter((provider) => unavailableProvider(provider) === undefined);
    expect(accepted.toSorted()).toEqual(runtimeProviders.map(({ name }) => name).toSorted());
  });

  it("The build accepts options that the runtime supports, and options that are turned off", async () => {
    const { diagnostics } = await compileWith({
      ...agent(`filters: [], strategy: "loop",`, `strategy: { type: "loop" }`),
      ...prompt("modelOrder: false,"),
      ...model(`provider: "test", script: [], capabilities: { structuredOutputs: true }`),
    });
    expect(diagnostics).toEqual([]);
  });

  it("The build warns about structuredOutputs: false and about a remote tool that needs approval, because neither has an effect", async () => {
    expect(
      await onlyFinding(model(`provider: "test", script: [], capabilities: { structuredOutputs: false }`)),
    ).toMatchObject({ severity: "warning", code: "not_available", line: 1 });
    expect(
      await onlyFinding({
        "agents/tools/ask.ts": `import { defineTool } from "threadhold";
export default defineTool("Asks", null, undefined, { needsApproval: true });`,
      }),
    ).toMatchObject({ severity: "warning", code: "not_available", line: 2, file: "agents/tools/ask.ts" });
  });
});
