// Which rules the schemas of tools follow in requests with OpenAI's protocols: those of the provider that answers in the end, by the model's
// definition, its server and its id.

import { expect, it } from "vitest";

import type { JsonObject } from "#contract/json.ts";
import type { AnyModelDefinition, SchemaRules } from "#spec/index.ts";

import { brokenOnPurpose } from "../support/wire-rules/request-problems.mjs";
import type { Provider } from "./ask-model.ts";
import { parametersOf } from "./sent-parameters.ts";
import { capture } from "./sent-request.ts";

const parameters = {
  type: "object",
  properties: {
    "filter[id]": { type: "string" },
    open: { type: "string", pattern: "^a" },
    any: { description: "Any value" },
    count: { enum: [1, 2] },
  },
};

/** The rules that a sent schema follows, by what each of them changes. */
function rulesOf(schema: JsonObject): SchemaRules {
  const properties = schema["properties"] as Record<string, JsonObject>;
  if (properties["count"]?.["enum"] === undefined) return "google";
  if (properties["filter[id]"] === undefined) return "anthropic";
  if (properties["any"]?.["type"] !== undefined) return "moonshot";
  return properties["open"]?.["pattern"] === undefined ? "compatible" : "openai";
}

async function sentRules(provider: Provider, definition: Partial<AnyModelDefinition>): Promise<SchemaRules> {
  const tools = [{ name: "find", description: "Finds", parameters }];
  const { body } = await capture(provider, { tools }, definition);
  const isResponses = definition.api === "responses" || provider === "openai-responses";
  const sent = parametersOf(isResponses ? "openai-responses" : "openai", body);
  return rulesOf(sent as unknown as JsonObject);
}

const gateway = "https://gateway.example/v1";

it.for([
  ["claude-opus-5", "anthropic"],
  ["anthropic/claude-sonnet-5", "anthropic"],
  ["eu.anthropic.claude-sonnet-5-20260101-v1:0", "anthropic"],
  ["vertex_ai/claude-haiku-4-5@20251001", "anthropic"],
  ["Claude-Opus-5", "anthropic"],
  ["gemini-3-pro", "google"],
  ["google/gemini-3-flash-preview", "google"],
  ["vertex_ai/gemini-2.5-pro", "google"],
  ["kimi-k3", "moonshot"],
  ["moonshotai/kimi-k2.5", "moonshot"],
  ["accounts/fireworks/models/kimi-k2p5", "moonshot"],
] as const)(
  "The model %s has the schemas of %s at every gateway, in both protocols and at OpenRouter",
  async ([id, rules]) => {
    for (const api of ["chat", "responses"] as const) {
      expect(await sentRules("openai", { model: id, baseUrl: gateway, api })).toBe(rules);
    }
    expect(await sentRules("openrouter", { model: id })).toBe(rules);
  },
);

it.for([
  ["openai", { model: "gpt-5", api: "responses", baseUrl: "https://api.openai.com/v1" }, "openai"],
  ["openai", { model: "gpt-4o", api: "chat", baseUrl: "https://api.openai.com/v1" }, "openai"],
  ["openai", { model: "llama-4", api: "chat", baseUrl: gateway }, "compatible"],
  ["openai", { model: "llama-4", api: "responses", baseUrl: gateway }, "openai"],
  ["openrouter", { model: "meta-llama/llama-4" }, "anthropic"],
  ["openai", { model: "latest", api: "chat", baseUrl: "https://api.moonshot.ai/v1" }, "moonshot"],
  ["openai", { model: "latest", api: "chat", baseUrl: "https://api.anthropic.com/v1" }, "anthropic"],
  [
    "openai",
    {
      model: "latest",
      api: "chat",
      baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
      headers: { [brokenOnPurpose]: "The check decides by the model's id, and the request by its host." },
    },
    "google",
  ],
] as const)("%s with %o follows the rules of %s", async ([provider, definition, rules]) => {
  expect(await sentRules(provider, definition)).toBe(rules);
});

it.for(["openai", "compatible", "anthropic", "google", "moonshot"] as const)(
  "A definition with the schema rules of %s overrides those of the model's id, the server and the protocol",
  async (schemaRules) => {
    const stated = {
      compat: { schemaRules },
      headers: { [brokenOnPurpose]: "The definition states rules other than those of the model's provider." },
    };
    expect(await sentRules("openai", { model: "claude-opus-5", baseUrl: gateway, ...stated })).toBe(schemaRules);
    expect(await sentRules("openai", { model: "gemini-3-pro", baseUrl: gateway, api: "responses", ...stated })).toBe(
      schemaRules,
    );
    expect(await sentRules("openai", { model: "kimi-k3", baseUrl: "https://api.moonshot.ai/v1", ...stated })).toBe(
      schemaRules,
    );
    expect(await sentRules("openrouter", { model: "google/gemini-3-pro", ...stated })).toBe(schemaRules);
  },
);
