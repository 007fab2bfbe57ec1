// The catalogue: its tables, the ids they match, and the fields of a definition that take precedence.

import { describe, expect, it } from "vitest";

import { catalogueIds, catalogueOf } from "#models/load-catalogue.ts";
import { completeModel, completeModels, modelFacts } from "#models/model-facts.ts";
import { findEntry, type FactTable } from "#models/provider/facts/fact-table.ts";
import { factTables } from "#models/provider/facts/tables.ts";
import { modelPresets, type AnyModelDefinition } from "#spec/index.ts";

const unknown = {
  limits: { contextWindow: null, inputLimit: null, outputLimit: null },
  limitsSource: null,
  prices: {},
  pricesSource: null,
  capabilities: null,
};

async function factsOf(
  provider: AnyModelDefinition["provider"],
  model: string,
  fields: Partial<AnyModelDefinition> = {},
  env: Record<string, unknown> = {},
) {
  const definition: AnyModelDefinition = { name: "m", provider, model, ...fields };
  return modelFacts(definition, env, await catalogueOf([definition]));
}

const modelsDev = {
  url: expect.stringContaining("https://github.com/anomalyco/models.dev/tree/") as string,
  date: "2026-07-02",
};

describe("tables of the catalogue", () => {
  it.for(Object.entries(factTables))(
    "CATALOGUE1 Each fact of the table %s has an address and a date, and is plausible",
    async ([, load]) => {
      const { facts: table } = await load();
      expect(table.length).toBeGreaterThan(0);
      for (const { source, models } of table) {
        expect(new URL(source.url).protocol).toBe("https:");
        expect(new Date(source.date).toISOString().slice(0, 10)).toBe(source.date);
        for (const [id, [window, input, output, prices = null, letters = "", long]] of Object.entries(models)) {
          const limits = [window, input, output].filter((limit) => limit !== null);
          expect(limits.length > 0 || prices !== null || letters !== "", id).toBe(true);
          expect(
            limits.every((limit) => Number.isInteger(limit) && limit > 0),
            id,
          ).toBe(true);
          if (window !== null) expect(Math.max(...limits), id).toBe(window);
          expect(letters, id).toMatch(/^(?:[Vv][Tt]?[Ss]?[Rr]?X?)?$/);
          const dollars = [...(prices ?? []), ...(long ?? []).slice(1)].filter((price) => price !== null);
          expect(
            dollars.every((price) => price >= 0 && price < 1000),
            id,
          ).toBe(true);
          if (prices !== null) expect(prices[0] + prices[1], id).toBeGreaterThan(0);
          if (long !== undefined) expect(long[0], id).toBeGreaterThan(100_000);
        }
      }
    },
  );

  it("CATALOGUE1 No two groups of a table state the same kind of fact of a model", async () => {
    for (const [name, load] of Object.entries(factTables)) {
      const { facts: table } = await load();
      const stated = table.flatMap(({ models }) =>
        Object.entries(models).flatMap(([id, [window, input, output, prices = null, letters = ""]]) => [
          ...([window, input, output].some((limit) => limit !== null) ? [`${id} limits`] : []),
          ...(prices === null ? [] : [`${id} prices`]),
          ...(letters === "" ? [] : [`${id} capabilities`]),
        ]),
      );
      expect(new Set(stated).size, name).toBe(stated.length);
    }
  });

  it("Every preset with a server on the Internet has a table, and each table is that of a provider or a preset", () => {
    const presets = Object.entries(modelPresets).filter(([, preset]) => !("keyless" in preset));
    const others = ["anthropic", "azure", "bedrock", "google", "openai", "openrouter", "vertex", "workers-ai"];
    expect(Object.keys(factTables).toSorted()).toEqual([...presets.map(([name]) => name), ...others].toSorted());
  });

  it("CATALOGUE3 Models of Bedrock have the limits of their table, and no prices, which differ between regions", async () => {
    const { limits, prices } = await factsOf("bedrock", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0");
    expect([limits.contextWindow, prices]).toEqual([200_000, {}]);
  });

  it("CATALOGUE2 Models of Workers AI have the entries of their table, and models of other vendors by the binding have none", async () => {
    const [id = ""] = await catalogueIds("workers-ai");
    expect((await factsOf("workers-ai", id)).limits.contextWindow).toBeGreaterThan(0);
    expect((await factsOf("workers-ai", "anthropic/claude-sonnet-5")).limits.contextWindow).toBeNull();
  });

  it("CATALOGUE2 A model of Vertex AI without a version has the entry that the table names `@default`", async () => {
    expect((await factsOf("vertex", "claude-opus-4-7")).limits.contextWindow).toBe(1_000_000);
    expect((await factsOf("vertex", "claude-opus-4-5")).limits.contextWindow).toBeNull();
  });

  it("The current models of a table are those that the provider does not retire", async () => {
    const ids = await catalogueIds("google");
    expect(ids).toContain("gemini-3.5-flash");
    expect(ids).not.toContain("gemini-2.0-flash");
    expect((await factsOf("google", "gemini-2.0-flash")).limits.contextWindow).toBe(1_048_576);
    expect(await catalogueIds("constructor")).toEqual([]);
  });

  it("CATALOGUE1 The limits and the prices of a model can have different sources", () => {
    const [first, second] = [
      { url: "https://one.example/", date: "2026-11-01" },
      { url: "https://two.example/", date: "2026-07-01" },
    ];
    const table: FactTable = [
      { source: first, models: { m: [1000, null, null] } },
      { source: second, models: { m: [900, null, null, [1, 2, null, null], "vT"], other: [1, null, null] } },
    ];
    expect(findEntry(table, "m")).toEqual({
      limits: { contextWindow: 1000, inputLimit: null, outputLimit: null, source: first },
      prices: { inputPrice: 1, outputPrice: 2, source: second },
      capabilities: { vision: false, functionCalling: true, source: second },
    });
  });
});

describe("modelFacts", () => {
  it("CATALOGUE2 A known model has the limits, the prices, the capabilities and the sources of its entry", async () => {
    const facts = await factsOf("openai", "gpt-5");
    expect(facts).toEqual({
      limits: { contextWindow: 400_000, inputLimit: 272_000, outputLimit: 128_000 },
      limitsSource: modelsDev,
      prices: { inputPrice: 1.25, outputPrice: 10, cachedPrice: 0.125 },
      pricesSource: modelsDev,
      capabilities: {
        vision: true,
        functionCalling: true,
        structuredOutputs: true,
        reasoning: true,
        source: modelsDev,
      },
    });
    expect(await factsOf("openai-responses", "gpt-5")).toEqual(facts);
    expect((await factsOf("openai", "gpt-5.5")).prices.longPrompt).toEqual({
      above: 272_000,
      inputPrice: 10,
      outputPrice: 45,
      cachedPrice: 1,
    });
  });

  it.for([
    ["openai", "gpt-4.1-2025-04-14", "gpt-4.1"],
    ["anthropic", "claude-haiku-4-5-20251001", "claude-haiku-4-5"],
    ["google", "gemini-2.0-flash-001", "gemini-2.0-flash"],
    ["openrouter", "anthropic/claude-sonnet-5:nitro", "anthropic/claude-sonnet-5"],
  ] as const)("The %s model id %s has the facts of %s", async ([provider, id, known]) => {
    expect(await factsOf(provider, id)).toEqual(await factsOf(provider, known));
    expect(await factsOf(provider, id)).not.toEqual(unknown);
  });

  it("A dated model snapshot with an entry in the table has the facts of that entry, not those of the model without a date", async () => {
    expect((await factsOf("openai", "gpt-4o")).limits.outputLimit).toBe(16_384);
    expect(await factsOf("openai", "gpt-4o-2024-05-13")).toMatchObject({
      limits: { outputLimit: 4_096 },
      prices: { inputPrice: 5 },
    });
  });

  it.for([
    ["openai", "gpt-5-like"],
    ["openai", "gpt-5-chat-latest"],
    ["openai", "toString"],
    ["openai", "gpt-4-1106-preview"],
    ["anthropic", "claude-next"],
    ["google", "gemini-9"],
    ["openrouter", "openai/gpt-4o:free"],
    ["test", "gpt-5"],
  ] as const)("The unknown model %s of %s has no known facts and no source", async ([provider, id]) => {
    expect(await factsOf(provider, id)).toEqual(unknown);
  });

  it("CATALOGUE3 A model at another server than OpenAI's has no known facts, whatever its id", async () => {
    const elsewhere = { baseUrl: "https://models.example.com/v1" };
    expect(await factsOf("openai", "gpt-5", elsewhere)).toEqual(unknown);
    expect(await factsOf("openai", "gpt-5", { ...elsewhere, api: "responses" })).toEqual(unknown);
    expect(await factsOf("openai", "gpt-5", {}, { OPENAI_BASE_URL: elsewhere.baseUrl })).toEqual(unknown);
    expect(await factsOf("openai", "gpt-5", {}, { OPENAI_BASE_URL: "not an address" })).toEqual(unknown);
    expect(await factsOf("openai-compatible", "grok-4.3", { ...elsewhere })).toEqual(unknown);
  });

  it.for([
    ["openai", "gpt-5", "https://eu.api.openai.com/v1"],
    ["anthropic", "claude-sonnet-5", "https://gateway.example.com/anthropic/v1"],
    ["google", "gemini-3.5-flash", "https://gateway.example.com/google/v1beta"],
  ] as const)(
    "CATALOGUE3 The %s model %s has known limits and no prices at the address %s, which is not the provider's own",
    async ([provider, id, baseUrl]) => {
      const own = await factsOf(provider, id);
      expect(own.prices.inputPrice).toBeGreaterThan(0);
      expect(await factsOf(provider, id, { baseUrl })).toMatchObject({ ...own, prices: {}, pricesSource: null });
      const [variable] = [`${provider.toUpperCase()}_BASE_URL`];
      expect((await factsOf(provider, id, {}, { [variable]: baseUrl })).prices).toEqual({});
    },
  );

  it("CATALOGUE3 A model of OpenRouter has no prices, because OpenRouter reports the cost", async () => {
    expect(await factsOf("openrouter", "anthropic/claude-sonnet-5")).toMatchObject({
      limits: { contextWindow: 1_000_000 },
      prices: {},
      pricesSource: null,
    });
  });

  it("CATALOGUE2 A server with a preset has the facts of its table, by the preset and by the address", async () => {
    const facts = await factsOf("openai-compatible", "grok-4.3", { preset: "xai" });
    expect(facts).toMatchObject({ prices: { inputPrice: 1.25, outputPrice: 2.5 }, pricesSource: modelsDev });
    expect(await factsOf("openai-compatible", "grok-4.3", { baseUrl: "https://api.x.ai/v1" })).toEqual(facts);
    expect(await factsOf("openai", "grok-4.3", { baseUrl: "https://api.x.ai/v1" })).toEqual(facts);
    const elsewhere = { preset: "xai", baseUrl: "https://models.example.com/v1" } as const;
    expect(await factsOf("openai-compatible", "grok-4.3", elsewhere)).toEqual(unknown);
    // The domain of the server in China has other prices.
    expect(await factsOf("openai-compatible", "kimi-k2.5", { baseUrl: "https://api.moonshot.cn/v1" })).toEqual(unknown);
  });

  it("CATALOGUE2 Each field of a definition replaces the known fact, also if it is 0, and the source is null if the definition states all fields", async () => {
    const known = await factsOf("openai", "gpt-5.5");
    const stated = await factsOf("openai", "gpt-5.5", { contextWindow: 9, inputPrice: 0 });
    expect(stated.limits).toEqual({ ...known.limits, contextWindow: 9 });
    expect(stated.limitsSource).toEqual(modelsDev);
    // Prices of the cache that the definition leaves out are its `inputPrice`.
    expect(stated.prices).toEqual({
      inputPrice: 0,
      outputPrice: known.prices.outputPrice,
      longPrompt: { above: 272_000, inputPrice: 0, outputPrice: 45 },
    });
    const whole = { contextWindow: 9, inputLimit: 8, outputLimit: 7, inputPrice: 1, outputPrice: 2, cachedPrice: 3 };
    expect(await factsOf("openai", "gpt-5", whole)).toMatchObject({
      limits: { contextWindow: 9, inputLimit: 8, outputLimit: 7 },
      limitsSource: null,
      prices: { inputPrice: 1, outputPrice: 2, cachedPrice: 3 },
      pricesSource: null,
    });
    expect((await factsOf("test", "m", { outputLimit: 7, inputPrice: 0 })).prices).toEqual({ inputPrice: 0 });
  });
});

describe("completeModel", () => {
  it("CATALOGUE2 The models of a registry have the limits and the prices of its catalogue, and no other field changes", async () => {
    const fast: AnyModelDefinition = { name: "fast", provider: "openai", model: "gpt-5", outputPrice: 0 };
    const own: AnyModelDefinition = {
      name: "own",
      provider: "openai",
      model: "gpt-5",
      baseUrl: "https://llm.example.com/v1",
    };
    const catalogue = await catalogueOf([fast, own]);
    const load = (model: AnyModelDefinition) => () => Promise.resolve(model);
    const models = completeModels({ models: { fast: load(fast), own: load(own) }, catalogue }, {});
    const completed = {
      ...fast,
      contextWindow: 400_000,
      inputLimit: 272_000,
      outputLimit: 128_000,
      inputPrice: 1.25,
      cachedPrice: 0.125,
    };
    expect(await models["fast"]?.()).toEqual(completed);
    expect(await models["fast"]?.()).toBe(await models["fast"]?.());
    expect(await models["own"]?.()).toBe(own);
    // A catalogue that is wrong takes no capability away.
    expect((await models["fast"]?.())?.capabilities).toBeUndefined();
  });

  it("CATALOGUE3 A variable with the address of another server removes the facts of a model that was completed before", async () => {
    const model: AnyModelDefinition = { name: "fast", provider: "openai", model: "gpt-5" };
    const catalogue = await catalogueOf([model]);
    expect(completeModel(model, {}, catalogue).inputPrice).toBe(1.25);
    expect(completeModel(model, { OPENAI_BASE_URL: "https://llm.example.com" }, catalogue)).toBe(model);
  });
});

it("CATALOGUE3 Prices of a preset do not hold at another path of its host, such as that of a plan for coding, also through a variable", () => {
  const source = { url: "https://prices.example/", date: "2026-07-02" };
  const catalogue = { zai: { "glm-4.6": { prices: { inputPrice: 1, outputPrice: 2, source } } } };
  const priceAt = (fields: object, env: Record<string, string> = {}) =>
    modelFacts({ name: "m", provider: "openai-compatible", model: "glm-4.6", ...fields }, env, catalogue).prices
      .inputPrice;
  const coding = "https://api.z.ai/api/coding/paas/v4";
  expect(priceAt({ preset: "zai" })).toBe(1);
  expect(priceAt({ preset: "zai", baseUrl: "https://api.z.ai/api/paas/v4/" })).toBe(1);
  expect(priceAt({ preset: "zai", baseUrl: coding })).toBeUndefined();
  expect(priceAt({ baseUrl: coding })).toBeUndefined();
  expect(priceAt({ preset: "zai" }, { ZAI_BASE_URL: coding })).toBeUndefined();
});
