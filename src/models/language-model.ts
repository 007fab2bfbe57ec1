// Loads the package that speaks a provider's protocol and binds it to a key, an address and a fetch. Invariant: a package
// is imported when a model of its provider is first called and not before, so unused providers cost nothing at start.

import type { LanguageModelV3 } from "@ai-sdk/provider";

import type { AnyModelDefinition } from "#spec/index.ts";

import { asksForUsage } from "./openai-compatible.ts";
import { cacheMarkedFetch } from "./openrouter-cache.ts";
import type { ProviderSettings } from "./provider-settings.ts";

// Decision 40: a subscription's token is a bearer token and needs this beta.
const oauthKey = /^sk-ant-oat/;
const oauthBeta = { "anthropic-beta": "oauth-2025-04-20" };

/** The language model of a definition. `fetch` carries its requests. */
export async function loadLanguageModel(
  model: AnyModelDefinition,
  settings: ProviderSettings,
  fetch: typeof globalThis.fetch,
): Promise<LanguageModelV3> {
  const { provider, apiKey, baseUrl } = settings;
  const common = { fetch, ...(baseUrl === null ? {} : { baseURL: baseUrl }) };
  switch (provider) {
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ ...common, apiKey }).chat(model.model);
    }
    case "openai-responses": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ ...common, apiKey }).responses(model.model);
    }
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      // The package reads the options of a request under this name.
      const name = "openaiCompatible";
      const includeUsage = asksForUsage(model, settings);
      return createOpenAICompatible({ name, baseURL: baseUrl ?? "", apiKey, fetch, includeUsage })(model.model);
    }
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      const credentials = oauthKey.test(apiKey) ? { authToken: apiKey, headers: oauthBeta } : { apiKey };
      return createAnthropic({ ...common, ...credentials })(model.model);
    }
    case "google": {
      const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
      let made = 0;
      // Google names few of its calls. Numbers are enough: ids that may repeat are namespaced by step (decision 30).
      const generateId = (): string => `google-fc-${made++}`;
      return createGoogleGenerativeAI({ ...common, apiKey, generateId })(model.model);
    }
    case "openrouter": {
      const { createOpenRouter } = await import("@openrouter/ai-sdk-provider");
      const marking = cacheMarkedFetch(fetch, model);
      return createOpenRouter({ ...common, apiKey, fetch: marking, compatibility: "strict" }).chat(model.model);
    }
  }
}
