// The search of the catalogue over HTTP.

import { expect, it } from "vitest";

import { catalogueModelSchema, type CatalogueModelView } from "#contract/definition.ts";
import { catalogueIds } from "#models/load-catalogue.ts";
import { nameOfModel } from "#models/new-model-text.ts";
import { factTables } from "#models/provider/facts/tables.ts";
import { modelPresets } from "#spec/index.ts";

import { refusalOf, testApp } from "./support/test-app.ts";

const { ask } = testApp();

interface Page {
  models: CatalogueModelView[];
  next_cursor: string | null;
}

async function pageOf(query: Record<string, string>): Promise<Page> {
  const response = await ask(`/api/model-catalogue?${new URLSearchParams(query).toString()}`);
  expect(response.status).toBe(200);
  const page = await response.json<Page>();
  for (const model of page.models) catalogueModelSchema.strict().parse(model);
  return page;
}

async function allOf(query: string): Promise<CatalogueModelView[]> {
  const models: CatalogueModelView[] = [];
  let cursor: string | null = "0";
  while (cursor !== null) {
    const page: Page = await pageOf({ query, limit: "100", cursor });
    expect(page.models.length).toBeLessThanOrEqual(100);
    models.push(...page.models);
    cursor = page.next_cursor;
  }
  return models;
}

it("CATALOGUE9 The pages of an empty search have each current model of each table once, with the table's name as provider or preset", async () => {
  const all = await allOf("");
  const tables = Object.keys(factTables).toSorted();
  const known = await Promise.all(tables.map(async (table) => (await catalogueIds(table)).map((id) => [table, id])));
  expect(all.map(({ provider, preset, model }) => [preset ?? provider, model])).toEqual(known.flat());
  for (const { provider, preset } of all) {
    if (preset !== null) expect([provider, preset in modelPresets]).toEqual(["openai-compatible", true]);
  }
});

it("CATALOGUE9 A search finds models by all words of provider, id and capability, with facts, their sources and the file to write", async () => {
  const both = await allOf("ZAI  glm-4.5V");
  expect(both.every((one) => /zai.*glm-4\.5v/i.test(`${one.preset ?? one.provider} ${one.model}`))).toBe(true);
  const found = both.find(({ preset }) => preset === "zai");
  expect(found).toMatchObject({
    provider: "openai-compatible",
    preset: "zai",
    model: "glm-4.5v",
    context_window: 64_000,
    output_limit: 16_384,
    inputPrice: 0.6,
    outputPrice: 1.8,
    prices_source: { date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), url: expect.stringMatching(/^https:/) },
    capabilities: { vision: true, functionCalling: true, reasoning: true },
    file: "agents/models/glm-4-5v.ts",
    definition: `// Limits and prices are those of the catalogue. A field here replaces the catalogue's. It needs ZAI_API_KEY.
import { defineModel } from "threadhold";

export default defineModel({
  name: "glm-4-5v",
  provider: "openai-compatible",
  preset: "zai",
  model: "glm-4.5v",
});
`,
  });
  const seeing = await allOf("zai vision");
  expect(seeing.length).toBeGreaterThan(1);
  expect(seeing.every(({ capabilities }) => capabilities["vision"] === true)).toBe(true);
  expect(await allOf("zai vision no-such-model")).toEqual([]);
});

it("CATALOGUE9 The file of a model says which facts the catalogue has, and names all variables that the model needs", async () => {
  const textOf = async (query: string) => (await pageOf({ query, limit: "1" })).models[0]?.definition ?? "";
  expect(await textOf("bedrock eu.anthropic.claude-sonnet-5")).toMatch(
    /^\/\/ Limits are those of the catalogue, which has no prices .* It needs AWS_BEARER_TOKEN_BEDROCK and AWS_REGION\.$/m,
  );
  expect(await textOf("openrouter claude")).toContain("It needs OPENROUTER_API_KEY.");
  expect(await textOf("openrouter claude")).not.toContain("add inputPrice");
});

it("CATALOGUE9 A search is refused with a query, a limit or a cursor out of bounds, and a cursor after the last model gives an empty page", async () => {
  for (const query of ["query=".padEnd(300, "x"), "limit=0", "limit=101", "limit=x", "cursor=-1", "cursor=x", "page=1"])
    expect(await refusalOf(await ask(`/api/model-catalogue?${query}`))).toMatchObject({ status: 400 });
  expect(await pageOf({ cursor: "100000" })).toEqual({ models: [], next_cursor: null });
  expect((await ask("/api/model-catalogue", { token: null })).status).toBe(401);
});

it("CATALOGUE9 The name of a definition that is made from a model's id is a valid name", async () => {
  for (const { model } of await allOf("")) expect(nameOfModel(model)).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
  expect(["", "///", "@cf/", "4", "é/ü"].map(nameOfModel)).toEqual(Array(5).fill("model"));
  expect(nameOfModel(`a/${"x".repeat(200)}`)).toHaveLength(64);
});
