// Options of models that a provider ignores: the build refuses them.

import { expect, it, vi } from "vitest";

import { findingsOf, onlyFinding } from "./temporary-project.ts";

// Each build starts the Workers runtime; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

it("The build refuses a model of Workers AI with an option that the binding ignores, and a gateway that a provider does not have", async () => {
  const cases = [
    [`provider: "workers-ai", model: "glm-4.7-flash"`, "is not a model id that the binding AI accepts"],
    [`provider: "workers-ai", model: "@cf/a/b", baseUrl: "https://llm.example/v1"`, "the binding AI has no address"],
    [`provider: "workers-ai", model: "dynamic/support"`, "needs its gateway"],
    [`provider: "anthropic", model: "m", gateway: { id: "g" }, baseUrl: "https://llm.example/v1"`, "two addresses"],
    [`provider: "openai-compatible", model: "m", preset: "ollama", gateway: { id: "g" }`, "AI Gateway has no address"],
    [`provider: "anthropic", model: "m", gateway: { id: "g", metadata: { a: 1, b: 2, c: 3 } }`, "at most two entries"],
    [`provider: "anthropic", model: "m", gateway: { id: "g", cacheKey: "отчёт" }`, "printable ASCII characters"],
    [`provider: "anthropic", model: "m", gateway: { id: "g", cacheKey: "a\\nb" }`, "printable ASCII characters"],
  ] as const;
  for (const [fields, text] of cases) {
    expect(await onlyFinding({ "agents/models/slow.ts": `export default { name: "slow", ${fields} };` })).toMatchObject(
      {
        severity: "error",
        code: "invalid_field",
        message: expect.stringContaining(text) as string,
      },
    );
  }
  const right = `provider: "workers-ai", model: "@cf/a/b", gateway: { id: "g", cacheTtl: 60, metadata: { team: "a" } }`;
  expect(
    await findingsOf("invalid_field", { "agents/models/slow.ts": `export default { name: "slow", ${right} };` }),
  ).toEqual([]);
});
