// No setting of a model is accepted without an effect: for each provider, each field changes the request, is refused at build, or is named by a
// warning in the log row.

import { describe, expect, it } from "vitest";

import { createModelPort } from "#models/create-model-port.ts";
import { ignoredField } from "#models/provider/ignored-field.ts";
import { providers, refusedField } from "#models/provider/providers.ts";
import {
  defineProvider,
  type AiSdkProviderDefinition,
  type AnyModelDefinition,
  type ModelCompatibility,
  type ProviderDefinition,
  type ProviderOptionsRequest,
} from "#spec/index.ts";

import { callAndResult, collect, keys, request, user } from "./ask-model.ts";
import { ownModel, ownSdk } from "./own-providers.ts";

type Fields = Partial<AnyModelDefinition>;

/** The models of each provider: those that accept all settings, and those that do not. */
const models: Record<string, Fields[]> = {
  openai: [{ model: "gpt-5.4" }, { model: "gpt-4o" }, { model: "o4-mini" }, { model: "gpt-4o", api: "chat" }],
  "openai-responses": [{ model: "gpt-5.4" }, { model: "gpt-4o" }],
  "openai-compatible": [
    { model: "llama-3.3-70b", preset: "groq" },
    { model: "m", baseUrl: "https://llm.example/v1" },
  ],
  openrouter: [{ model: "anthropic/claude-sonnet-5" }, { model: "x-ai/grok-4" }],
  anthropic: [{ model: "claude-sonnet-5" }, { model: "claude-haiku-4-5" }, { model: "claude-3-5-haiku-latest" }],
  google: [{ model: "gemini-3-pro" }, { model: "gemini-2.5-flash" }, { model: "gemini-1.5-pro" }],
  "workers-ai": [{ model: "@cf/a/b" }, { model: "anthropic/claude-sonnet-5" }, { model: "openai/gpt-5" }],
  azure: [{ model: "gpt-5.4" }, { model: "gpt-4o", api: "chat" }],
  vertex: [{ model: "gemini-3-pro" }, { model: "claude-sonnet-4-5" }],
  bedrock: [
    { model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0" },
    { model: "us.amazon.nova-lite-v1:0" },
    { model: "mistral.mistral-large-2407-v1:0" },
  ],
  test: [{ model: "m", script: [] }],
};

/** A value of each field that is neither its default nor the model's. */
const settings: readonly Fields[] = [
  { includedProviders: ["azure"] },
  { api: "responses" },
  { api: "chat" },
  { preset: "xai" },
  { baseUrl: "https://other.example/v1" },
  { keyVariable: "OTHER_KEY" },
  { gateway: { id: "g" } },
  { headers: { "x-own": "1" } },
  ...["authorization", "x-api-key", "Content-Type", "User-Agent"].map((name) => ({ headers: { [name]: "own/1" } })),
  { temperature: 0.3 },
  { maxTokens: 77 },
  { thinkingLevel: "high" },
  { thinkingLevel: "minimal" },
  { cache: "disabled" },
  { cache: { system: true } },
  { cache: { tools: true } },
  { cache: { messages: true } },
  { capabilities: { vision: false } },
  { capabilities: { functionCalling: false } },
  { script: [{ text: "x" }] },
  ...["web_search_20250305", "web_search", "url_context"].map((type) => ({ providerTools: [{ type }] })),
];

/**
 * Fields of `compat` that state what a server or a model does, for all of OpenAI's protocols. A protocol without the feature does not need the
 * fact.
 */
const compat: ModelCompatibility = {
  supportsDeveloperRole: true,
  supportsReasoningEffort: false,
  supportsStreamUsage: false,
  supportsParallelToolCalls: false,
  shortCallIds: true,
  requiresThinking: "all",
  emptyThinking: "-",
  thinkingOffField: "thinking",
  plainThinking: true,
  schemaRules: "moonshot",
  maxTokensField: "max_completion_tokens",
};

/** Settings that a scripted model may keep, because it stands in for a real one. The loop reads some of them. */
const ofScript: ReadonlySet<string> = new Set(["temperature", "maxTokens", "thinkingLevel", "capabilities", "script"]);

const weather = { name: "get_weather", description: "The weather", parameters: { type: "object", properties: {} } };
const image = { type: "image", mime_type: "image/png", data: "iVBORw0KGgo=" } as const;
const messages = [
  { ...user("Hello?"), parts: [{ type: "text" as const, text: "Hello?" }, image] },
  ...callAndResult("call-1"),
  user("And now?"),
];

/** What a request sends, and the warnings of its log row. */
async function sentBy(definition: AnyModelDefinition) {
  const sent: unknown[] = [];
  // The packages report their warnings with the beginning of an answer.
  const stop = () => Promise.resolve(new Response("", { headers: { "content-type": "text/event-stream" } }));
  const run = (...call: unknown[]) => {
    sent.push(JSON.parse(JSON.stringify(call)));
    return stop();
  };
  const port = createModelPort({
    env: {
      ...keys,
      GROQ_API_KEY: "k",
      XAI_API_KEY: "x",
      OPENAI_COMPATIBLE_API_KEY: "c",
      OTHER_KEY: "other",
      CLOUDFLARE_ACCOUNT_ID: "a",
      AZURE_RESOURCE_NAME: "team",
      GOOGLE_VERTEX_PROJECT: "p",
      GOOGLE_VERTEX_LOCATION: "global",
      AWS_REGION: "us-east-1",
      AI: { run },
    },
    fetch: (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      sent.push([url, Object.fromEntries(new Headers(init?.headers)), init?.body]);
      return stop();
    },
  });
  const requested = request(definition, { messages, tools: [weather], parallelToolCalls: false, raw: true });
  const parts = await collect(port.stream(requested, new AbortController().signal));
  const warnings = parts.flatMap((part) =>
    part.type === "raw" && part.chunk.includes('"warnings"') ? [part.chunk] : [],
  );
  return { sent: JSON.stringify(sent), warnings: warnings.join("") };
}

/** How a setting is treated. */
async function effectOf(base: AnyModelDefinition, setting: Fields): Promise<string> {
  const changed = { ...base, ...setting };
  if ((refusedField(changed) ?? ignoredField(changed)) !== undefined) return "refused";
  const [before, after] = [await sentBy(base), await sentBy(changed)];
  if (after.sent !== before.sent) return "sent";
  return after.warnings === before.warnings ? "ignored" : "warned";
}

describe("settings of models", () => {
  it("The table has each provider", () => {
    expect(Object.keys(models).toSorted()).toEqual(providers.map(({ name }) => name).toSorted());
  });

  it.for(Object.entries(models).flatMap(([provider, all]) => all.map((fields) => ({ provider, ...fields }))))(
    "SETTING1 Each setting of $model of $provider is sent, refused at build, or named by a warning",
    async (fields) => {
      const base = { name: "m", ...fields } as AnyModelDefinition;
      expect(refusedField(base) ?? ignoredField(base)).toBeUndefined();
      const ignored: string[] = [];
      for (const setting of settings) {
        const [[field, value] = ["", null]] = Object.entries(setting);
        if (JSON.stringify(base[field as keyof AnyModelDefinition]) === JSON.stringify(value)) continue;
        if (field === "api" && value === "responses" && base.api === undefined) continue;
        if (base.provider === "test" && ofScript.has(field)) continue;
        if ((await effectOf(base, setting)) === "ignored") ignored.push(JSON.stringify(setting));
      }
      expect(ignored, ignored.join(" ")).toEqual([]);
    },
  );

  it.for(
    Object.entries<ProviderDefinition>({
      "a function": defineProvider({
        name: "own",
        async *stream(requested, context) {
          await context.fetch("https://own.example", { method: "POST", body: JSON.stringify(requested) });
          yield { type: "finish", reason: "stop" };
        },
      }),
      "a model of the AI SDK": ownSdk,
      "a model of the AI SDK with options": {
        ...(ownSdk as AiSdkProviderDefinition),
        options: ({ thinking }: ProviderOptionsRequest) => ({ user: JSON.stringify(thinking) }),
      },
    }),
  )(
    "SETTING1 Each setting of a model whose provider of a project is %s is sent, refused, or named by a warning",
    async ([, provider]) => {
      const all: Fields[] = [
        ...settings.filter(({ headers = {} }) => !("User-Agent" in headers)),
        { thinkingLevel: "off" },
        ...Object.entries(compat).map(([field, value]) => ({ compat: { [field]: value } })),
        { compat: { supportsTemperature: false } },
      ];
      const ignored: string[] = [];
      for (const setting of all)
        if ((await effectOf(ownModel(provider), setting)) === "ignored") ignored.push(JSON.stringify(setting));
      expect(ignored).toEqual([]);
      const refused = refusedField({ ...ownModel(provider), cache: "disabled" })?.reason;
      expect(refused).toContain("of agents/providers/own.ts does not read cache; leave it out");
    },
  );

  it("SETTING1 A field of compat is refused for a provider that does not use a protocol of OpenAI", () => {
    for (const [provider, model] of [
      ["anthropic", "m"],
      ["google", "m"],
      ["test", "m"],
      ["workers-ai", "anthropic/m"],
    ]) {
      for (const [field, value] of Object.entries(compat)) {
        const definition = { name: "m", provider, model, compat: { [field]: value } } as AnyModelDefinition;
        expect([provider, field, ignoredField(definition)?.field]).toEqual([provider, field, "compat"]);
      }
    }
    const openai = { name: "m", provider: "openai", model: "m", compat } as const;
    expect(ignoredField(openai)).toBeUndefined();
  });

  it("SETTING1 A refusal of an ignored setting states what to do", () => {
    const reasonOf = (fields: Fields) =>
      ignoredField({ name: "m", provider: "openai", model: "gpt-4o", ...fields })?.reason;
    expect(reasonOf({ includedProviders: ["azure"] })).toContain('leave it out, or use "openrouter"');
    expect(reasonOf({ cache: "disabled" })).toContain("leave out cache");
    expect(reasonOf({ script: [] })).toContain('use provider: "test"');
    expect(reasonOf({ provider: "test", script: [], headers: { a: "b" } })).toContain("sends no requests");
    expect(reasonOf({ provider: "openrouter", model: "anthropic/claude-5", cache: { tools: true } })).toContain(
      "system and messages",
    );
    expect(reasonOf({ includedProviders: [], cache: "auto", compat: {} })).toBeUndefined();
  });
});
