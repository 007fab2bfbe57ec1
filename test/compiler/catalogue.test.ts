// What a build takes from the catalogue: the rows of the project's models, and warnings.

import { expect, it, vi } from "vitest";

import { newPriceNotes, priceNotes } from "#compiler/catalogue-check.ts";
import { registrySource } from "#compiler/generated-source.ts";

import { compileWith, good, onlyFinding, writeProject } from "./temporary-project.ts";

// Each build starts the Workers runtime; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const model = (fields: string, name = "fast"): Record<string, string> => ({
  [`agents/models/${name}.ts`]: `export default { name: "${name}", ${fields} };`,
});

it("CATALOGUE5 A build writes the catalogue's entries of the project's models into the registry, and no others", async () => {
  const { project, diagnostics } = await compileWith({
    ...model(`provider: "openai", model: "gpt-5.5"`),
    ...model(`provider: "openai-compatible", preset: "xai", model: "grok-4.3"`, "grok"),
    ...model(`provider: "openrouter", model: "anthropic/claude-sonnet-5"`, "router"),
    ...model(`provider: "openai", model: "gpt-5", baseUrl: "https://llm.example.com/v1"`, "elsewhere"),
  });
  expect(diagnostics).toEqual([]);
  expect(Object.entries(project.catalogue).map(([table, rows]) => [table, Object.keys(rows)])).toEqual([
    ["openai", ["gpt-5.5"]],
    ["xai", ["grok-4.3"]],
    ["openrouter", ["anthropic/claude-sonnet-5"]],
  ]);
  const source = registrySource(project, "hash", "..");
  expect(source).toContain('"contextWindow": 1050000');
  expect(source).toContain('"inputPrice": 1.25');
  expect(source).not.toContain("gpt-5.4");
  expect(project.catalogue["openrouter"]?.["anthropic/claude-sonnet-5"]).not.toHaveProperty("prices");
});

it("CATALOGUE5 The registry of a project without a known model has no catalogue", async () => {
  const { project } = await compileWith({});
  expect(registrySource(project, "hash", "..")).not.toContain("catalogue");
});

it("CATALOGUE5 A build prints which models have prices of the catalogue, from where and of which date", async () => {
  const stated = "inputPrice: 0, outputPrice: 0, cachedPrice: 0";
  const { project } = await compileWith({
    ...model(`provider: "openai", model: "gpt-5.5"`),
    ...model(`provider: "openai-compatible", preset: "xai", model: "grok-4.3", outputPrice: 3`, "grok"),
    ...model(`provider: "openai", model: "gpt-5", ${stated}`, "stated"),
    ...model(`provider: "openrouter", model: "anthropic/claude-sonnet-5"`, "router"),
  });
  expect(priceNotes(project)).toEqual([
    "Prices of the catalogue (github.com, 2026-07-02) apply to fast, grok, so limits of cost count their runs. A definition overrides them.",
  ]);
});

it("CATALOGUE5 A development server prints the line about prices once, and again only if it changes", async () => {
  const { project } = await compileWith(model(`provider: "openai", model: "gpt-5.5"`));
  const root = writeProject({});
  expect(newPriceNotes(root, project)).toEqual(priceNotes(project));
  expect(newPriceNotes(root, project)).toEqual([]);
  const { project: other } = await compileWith({
    ...model(`provider: "openai", model: "gpt-5.5"`),
    ...model(`provider: "openai", model: "gpt-5"`, "second"),
  });
  expect(newPriceNotes(root, other)).toEqual(priceNotes(other));
  expect(priceNotes(other)).toHaveLength(1);
});

it("CATALOGUE6 The build warns of an id that differs from a known id in one or two characters, and names that id", async () => {
  expect(await onlyFinding(model(`provider: "anthropic", model: "claude-sonet-5"`))).toMatchObject({
    severity: "warning",
    code: "unknown_model_id",
    file: "agents/models/fast.ts",
    message: 'the catalogue has no model "claude-sonet-5" of anthropic',
    suggestion: "claude-sonnet-5",
  });
});

it.each([
  ["a newer version", `provider: "openai", model: "gpt-5.6"`],
  ["another model", `provider: "openai", model: "my-fine-tune"`],
  [
    "a model of a server that the catalogue does not have",
    `provider: "openai-compatible", preset: "ollama", model: "qwen3:8"`,
  ],
  ["a model at another address", `provider: "openai", model: "gpt-55", baseUrl: "https://llm.example.com/v1"`],
])("CATALOGUE6 The build does not warn of the id of %s", async (_, fields) => {
  expect((await compileWith(model(fields))).diagnostics).toEqual([]);
});

it("CATALOGUE7 The build warns of a prompt with tools whose model has none by the catalogue, and leaves the tools in", async () => {
  const finding = await onlyFinding(model(`provider: "openai", model: "gpt-3.5-turbo"`));
  expect(finding).toMatchObject({
    severity: "warning",
    code: "missing_capability",
    file: "agents/prompts/support.ts",
    message: expect.stringMatching(
      /^prompt "support" has tools, and the model "fast" \(gpt-3\.5-turbo\) has none by https:.* of 2026-07-02$/,
    ),
    notes: [expect.stringContaining("capabilities: { functionCalling: true } in agents/models/fast.ts")],
  });
});

it.each([
  ["true", `capabilities: { functionCalling: true }`],
  ["false", `capabilities: { functionCalling: false }`],
])(
  "CATALOGUE7 The build does not warn if the definition of the model states functionCalling: %s",
  async (_, stated) => {
    expect((await compileWith(model(`provider: "openai", model: "gpt-3.5-turbo", ${stated}`))).diagnostics).toEqual([]);
  },
);

it("CATALOGUE7 The build warns of a fallback without tools, and not of a prompt without tools", async () => {
  const files = {
    ...model(`provider: "openai", model: "gpt-5", fallbacks: ["spare"]`),
    ...model(`provider: "openai", model: "gpt-3.5-turbo"`, "spare"),
  };
  expect((await onlyFinding(files)).message).toContain('the model "spare" (gpt-3.5-turbo) has none');
  const prompt = (good["agents/prompts/support.ts"] ?? "").replace('tools: ["search_docs"],', "");
  expect((await compileWith({ ...files, "agents/prompts/support.ts": prompt })).diagnostics).toEqual([]);
});
