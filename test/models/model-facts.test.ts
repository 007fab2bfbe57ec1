// The token limits of models: the provider's tables, the ids they match, and the fields of a definition that take precedence.

import { describe, expect, it } from "vitest";

import { createModelPort } from "#models/create-model-port.ts";
import { modelFacts } from "#models/model-facts.ts";
import { anthropicFacts } from "#models/provider/facts/anthropic-facts.ts";
import { googleFacts } from "#models/provider/facts/google-facts.ts";
import { openaiFacts } from "#models/provider/facts/openai-facts.ts";
import { openrouterFacts } from "#models/provider/facts/openrouter-facts.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

const tables = { anthropic: anthropicFacts, google: googleFacts, openai: openaiFacts, openrouter: openrouterFacts };
const unknown = { contextWindow: null, inputLimit: null, outputLimit: null, source: null };

const factsOf = (
  provider: AnyModelDefinition["provider"],
  model: string,
  fields: Partial<AnyModelDefinition> = {},
  env: Record<string, unknown> = {},
) => modelFacts({ name: "m", provider, model, ...fields }, env);

describe("tables of token limits", () => {
  it.for(Object.entries(tables))(
    "Each entry of the model table of %s has a source, a date and plausible token limits",
    ([, table]) => {
      const ids = table.flatMap(({ models }) => Object.keys(models));
      expect(ids.length).toBeGreaterThan(0);
      expect(new Set(ids).size).toBe(ids.length);
      for (const { source, models } of table) {
        expect(new URL(source.url).protocol).toBe("https:");
        expect(new Date(source.date).toISOString().slice(0, 10)).toBe(source.date);
        for (const [id, [window, input, output]] of Object.entries(models)) {
          const limits = [window, input, output].filter((limit) => limit !== null);
          expect(limits.length, id).toBeGreaterThan(0);
          expect(
            limits.every((limit) => Number.isInteger(limit) && limit > 0),
            id,
          ).toBe(true);
          if (window !== null) expect(Math.max(...limits), id).toBe(window);
        }
      }
    },
  );
});

describe("modelFacts", () => {
  it("A known model has the token limits and the source of its entry in the table", () => {
    const facts = factsOf("openai", "gpt-5");
    expect(facts).toMatchObject({ contextWindow: 400_000, inputLimit: 272_000, outputLimit: 128_000 });
    expect(facts.source).toEqual(openaiFacts[0]?.source);
    expect(factsOf("openai-responses", "gpt-5")).toEqual(facts);
  });

  it.for([
    ["openai", "gpt-4.1-2025-04-14", "gpt-4.1"],
    ["anthropic", "claude-haiku-4-5-20251001", "claude-haiku-4-5"],
    ["google", "gemini-2.0-flash-001", "gemini-2.0-flash"],
    ["openrouter", "anthropic/claude-sonnet-5:nitro", "anthropic/claude-sonnet-5"],
  ] as const)("The %s model id %s has the token limits of %s", ([provider, id, known]) => {
    expect(factsOf(provider, id)).toEqual(factsOf(provider, known));
    expect(factsOf(provider, id)).not.toEqual(unknown);
  });

  it("A dated model snapshot with an entry in the table has the token limits of that entry, not those of the model without a date", () => {
    expect(factsOf("openai", "gpt-4o").outputLimit).toBe(16_384);
    expect(factsOf("openai", "gpt-4o-2024-05-13").outputLimit).toBe(4_096);
  });

  it.for([
    ["openai", "gpt-5-like"],
    ["openai", "toString"],
    ["openai", "gpt-4-1106-preview"],
    ["anthropic", "claude-next"],
    ["google", "gemini-9"],
    ["openrouter", "openai/gpt-4o:free"],
    ["test", "gpt-5"],
  ] as const)("The unknown model %s of %s has no known token limits and no source", ([provider, id]) => {
    expect(factsOf(provider, id)).toEqual(unknown);
  });

  it("A model at another server than OpenAI's has no known token limits, whatever its id", () => {
    const elsewhere = { baseUrl: "https://models.example.com/v1" };
    expect(factsOf("openai", "gpt-5", elsewhere)).toEqual(unknown);
    expect(factsOf("openai", "gpt-5", { ...elsewhere, api: "responses" })).toEqual(unknown);
    expect(factsOf("openai", "gpt-5", {}, { OPENAI_BASE_URL: elsewhere.baseUrl })).toEqual(unknown);
    expect(factsOf("openai", "gpt-5", { baseUrl: "https://eu.api.openai.com/v1" }).contextWindow).toBe(400_000);
  });

  it("Each limit of a definition replaces the known limit of the model, and the source is null if the definition states all limits", () => {
    const known = factsOf("openai", "gpt-5");
    expect(factsOf("openai", "gpt-5", { contextWindow: 9 })).toEqual({ ...known, contextWindow: 9 });
    expect(factsOf("openai", "gpt-5", { contextWindow: 9, inputLimit: 8, outputLimit: 7 })).toEqual({
      contextWindow: 9,
      inputLimit: 8,
      outputLimit: 7,
      source: null,
    });
    expect(factsOf("test", "m", { outputLimit: 7 })).toEqual({ ...unknown, outputLimit: 7 });
  });

  it("The model port returns the known token limits of a model, and none if a variable sets the address of another server", () => {
    const model = { name: "m", provider: "openai", model: "gpt-5" } as const;
    const port = (env: Record<string, unknown>) => createModelPort({ env, fetch: () => Promise.reject(new Error()) });
    expect(port({}).facts?.(model)).toEqual(factsOf("openai", "gpt-5"));
    expect(port({ OPENAI_BASE_URL: "https://models.example.com" }).facts?.(model)).toEqual(unknown);
  });
});
