// Configs of models: their factories, their keys, their checks, and the requests that they make.

import { inspect } from "node:util";

import { describe, expect, it } from "vitest";

import type { ModelRequest } from "#core/ports/model-port.ts";
import { LoopError } from "#facade/phi/loop-error.ts";
import { ModelConfig } from "#facade/phi/provider/model-config.ts";
import { modelsOf, type ModelOptions } from "#facade/phi/provider/models-of.ts";

import { key, modelRequest, partsOf, protocolNames, serveModels, type Received } from "./support/served-models.ts";

const server = serveModels();

/** Sends one request of a loop, and returns what the server received. */
async function sent(
  modelConfig: ModelConfig,
  { request, ...options }: Omit<ModelOptions, "modelConfig"> & { request?: Partial<ModelRequest> } = {},
  env: Record<string, unknown> = {},
): Promise<Received> {
  const { port, model } = modelsOf({ modelConfig, ...options }, { env });
  const parts = await partsOf(port, modelRequest(model, request));
  expect(parts.at(-1)).toMatchObject({ type: "finish" });
  const [only] = await server.received();
  if (only === undefined) throw new Error(JSON.stringify(parts));
  return only;
}

describe("factories", () => {
  it("The factories have the protocols, addresses and limits of the public implementation (REQ-147)", () => {
    const configs = [
      ModelConfig.anthropic("claude-sonnet-4-20250514", "Claude Sonnet 4", "sk-ant-key"),
      ModelConfig.openai("gpt-4o", "GPT-4o", "sk-key"),
      ModelConfig.local("http://localhost:1234/v1", "llama-3.1-8b", ""),
      ModelConfig.google("gemini-2.5-pro", "Gemini", "g-key"),
      ModelConfig.openrouter("anthropic/claude-sonnet-4", "sk-or-key"),
    ];
    const facts = configs.map(({ name, api, provider, base_url, context_window, max_tokens }) => [
      name,
      api,
      provider,
      base_url,
      context_window,
      max_tokens,
    ]);
    expect(facts).toEqual([
      ["Claude Sonnet 4", "anthropic_messages", "anthropic", "https://api.anthropic.com", 200_000, 8192],
      ["GPT-4o", "openai_completions", "openai", "https://api.openai.com/v1", 128_000, 4096],
      ["Local Model", "openai_completions", "local", "http://localhost:1234/v1", 128_000, 4096],
      ["Gemini", "google_generative_ai", "google", "https://generativelanguage.googleapis.com", 1_000_000, 8192],
      ["anthropic/claude-sonnet-4", "openai_completions", "openrouter", "https://openrouter.ai/api/v1", 200_000, 4096],
    ]);
    expect(configs[0]?.api_key).toBe("sk-ant-key");
    expect(configs[0]?.compat).toBeUndefined();
    expect(configs[1]?.compat).toEqual({
      max_tokens_field: "max_completion_tokens",
      supports_developer_role: true,
      supports_reasoning_effort: true,
    });
  });

  it("A factory takes the key, or further fields that replace its own", () => {
    const config = ModelConfig.bedrock("amazon.nova-lite-v1:0", "Nova", { region: "eu-central-1", max_tokens: 100 });
    expect(config).toMatchObject({ api: "bedrock_converse_stream", region: "eu-central-1", max_tokens: 100 });
    expect(config.api_key).toBeUndefined();
  });
});

describe("keys", () => {
  const config = ModelConfig.anthropic("m", "M", { api_key: key, headers: { "x-token": "header-secret-1" } });

  it("A config, its copies, and objects with it show no key and no value of a header when they are printed or become JSON", () => {
    const values = [
      config,
      { ...config },
      { ...config, max_tokens: 1 },
      [config],
      { agent: { config } },
      ModelConfig.from(config),
    ];
    for (const value of values) {
      for (const text of [JSON.stringify(value), inspect(value, { depth: 9, showHidden: true }), inspect(value)])
        expect(text).not.toMatch(/vertex-secret|header-secret/);
    }
    expect(JSON.parse(JSON.stringify(config))).toEqual({
      id: "m",
      name: "M",
      api: "anthropic_messages",
      provider: "anthropic",
      base_url: "https://api.anthropic.com",
      context_window: 200_000,
      max_tokens: 8192,
      api_key: "[hidden]",
      headers: { "x-token": "[hidden]" },
    });
  });

  it("A copy of a config by spread keeps its key, and one by structuredClone or JSON is refused", () => {
    expect({ ...config, max_tokens: 1 }.api_key).toBe(key);
    expect(() => structuredClone(config)).toThrow("could not be cloned");
    const restored = JSON.parse(JSON.stringify(ModelConfig.anthropic("m", "M", key))) as ModelConfig;
    expect(() => modelsOf({ modelConfig: restored })).toThrow(
      "`model_config.api_key` is hidden: this config was restored from JSON, which contains no key. Set api_key again",
    );
    const { api_key: _hidden, ...withHeader } = JSON.parse(JSON.stringify(config)) as ModelConfig;
    expect(() => modelsOf({ modelConfig: withHeader })).toThrow('The header "x-token" of `model_config` is hidden');
    expect(modelsOf({ modelConfig: { ...restored, api_key: key } }).provider_id).toBe("anthropic");
  });

  it.each(protocolNames)("The key of a config is sent in place of the environment's with %s", async (api) => {
    const other = "other-key-of-the-environment";
    const names =
      "ANTHROPIC_API_KEY OPENAI_API_KEY AZURE_API_KEY GOOGLE_API_KEY GOOGLE_VERTEX_API_KEY AWS_BEARER_TOKEN_BEDROCK";
    const env = Object.fromEntries(names.split(" ").map((name) => [name, other]));
    const { headers, path } = await sent(server.config(api, "case:text"), {}, env);
    expect(JSON.stringify([headers, path])).toContain(key);
    expect(JSON.stringify([headers, path])).not.toContain(other);
  });

  it.each([
    ["anthropic_messages", "ANTHROPIC_API_KEY"],
    ["openai_completions", "OPENAI_API_KEY"],
    ["openai_responses", "OPENAI_API_KEY"],
    ["azure_openai_responses", "AZURE_API_KEY"],
    ["google_generative_ai", "GOOGLE_API_KEY"],
    ["google_vertex", "GOOGLE_VERTEX_ACCESS_TOKEN"],
    ["bedrock_converse_stream", "AWS_BEARER_TOKEN_BEDROCK"],
  ] as const)("A config of %s without a key takes that of %s", async (api, variable) => {
    const { api_key: _key, ...data } = server.config(api, "case:text");
    const { headers } = await sent(data, {}, { [variable]: key });
    expect(JSON.stringify(headers)).toContain(key);
    const { port, model } = modelsOf({ modelConfig: data }, { env: {} });
    const [only] = await partsOf(port, modelRequest(model));
    expect(only).toMatchObject({ type: "error", failure: { kind: "not_configured", retryable: false } });
  });

  it("A server that the config does not name as OpenAI's receives no key of OpenAI", async () => {
    const local = server.config("openai_completions", "case:text", { provider: "local", api_key: "" });
    expect((await sent(local, {}, { OPENAI_API_KEY: key })).headers["authorization"] ?? "").not.toContain(key);
    const groq = server.config("openai_completions", "case:text", { provider: "groq" });
    const { api_key: _key, ...data } = groq;
    expect((await sent(data, {}, { OPENAI_API_KEY: "other-key", GROQ_API_KEY: key })).headers["authorization"]).toBe(
      `Bearer ${key}`,
    );
  });

  it("A token of OAuth is sent as a bearer token with the header that it needs, and with all headers of REQ-159 if the config asks for them", async () => {
    const token = "sk-ant-oat01-token-of-a-test";
    const plain = await sent(server.config("anthropic_messages", "case:text", { api_key: token }));
    expect(plain.headers).toMatchObject({ authorization: `Bearer ${token}`, "anthropic-beta": "oauth-2025-04-20" });
    expect(plain.headers["x-api-key"]).toBeUndefined();
    expect(plain.headers["x-app"]).toBeUndefined();
    const { base_url = "", headers = {} } = server.config("anthropic_messages", "case:text");
    const oauth = ModelConfig.anthropicOauth("case:text", "M", {
      api_key: token,
      base_url,
      headers,
    });
    const all = await sent(oauth);
    expect(all.headers).toMatchObject({
      authorization: `Bearer ${token}`,
      "x-app": "cli",
      "anthropic-dangerous-direct-browser-access": "true",
    });
    expect(all.headers["user-agent"]).toMatch(/^claude-cli\/2\.1\.2/);
    expect(all.headers["anthropic-beta"]?.split(",").sort()).toEqual(
      ["claude-code-20250219", "fine-grained-tool-streaming-2025-05-14", "oauth-2025-04-20"].sort(),
    );
  });
});

describe("requests", () => {
  it("A config without a key of OpenAI's protocol posts to its address with a bearer token and asks for token counts (REQ-041)", async () => {
    const { path, headers, body } = await sent(server.config("openai_completions", "case:text"));
    expect(path).toBe("/v1/chat/completions");
    expect(headers["authorization"]).toBe(`Bearer ${key}`);
    expect(body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it("The compat of a config chooses the field of the limit, the role of the system prompt and the effort (REQ-147)", async () => {
    const openai = server.config("openai_completions", "case:text", { max_tokens: 99 });
    const own = await sent(openai, { thinkingLevel: "Minimal" });
    expect(own.body).toMatchObject({ max_completion_tokens: 99, reasoning_effort: "low" });
    expect((own.body["messages"] as { role: string }[])[0]?.role).toBe("developer");
    const compat = {
      max_tokens_field: "max_tokens",
      supports_developer_role: false,
      supports_reasoning_effort: false,
    } as const;
    const other = await sent(server.config("openai_completions", "case:text", { compat, max_tokens: 99 }), {
      thinkingLevel: "High",
    });
    expect(other.body).toMatchObject({ max_tokens: 99 });
    expect(other.body["reasoning_effort"]).toBeUndefined();
    expect((other.body["messages"] as { role: string }[])[0]?.role).toBe("system");
  });

  it("A config of Azure sends the header api-key to the address and the version of the config (REQ-124)", async () => {
    const config = server.config("azure_openai_responses", "case:text");
    const base_url = (config.base_url ?? "").replace("/v1", "");
    const { path, headers } = await sent({ ...config, base_url, api_version: "2025-01-01-preview" });
    expect(path).toBe("/openai/responses");
    expect(headers["api-key"]).toBe(key);
    expect(headers["authorization"]).toBeUndefined();
  });

  it.each([
    ["Minimal", 1024],
    ["Low", 1024],
    ["Medium", 2048],
    ["High", 7168],
  ] as const)(
    "The thinking level %s asks Anthropic for %i tokens of thinking, and off for none (REQ-129)",
    async (level, tokens) => {
      const on = await sent(server.config("anthropic_messages", "case:text"), { thinkingLevel: level });
      expect(on.body["thinking"]).toEqual({ type: "enabled", budget_tokens: tokens });
      const off = await sent(server.config("anthropic_messages", "case:text"), { thinkingLevel: "Off" });
      expect(off.body["thinking"]).toBeUndefined();
    },
  );

  it("The cache config marks the parts that its strategy names, or none", async () => {
    const marks = async (cacheConfig: ModelOptions["cacheConfig"]) => {
      const { body } = await sent(server.config("anthropic_messages", "case:text"), { cacheConfig });
      return ["system", "tools"].map((field) => JSON.stringify(body[field]).includes('"ephemeral"'));
    };
    expect(await marks(undefined)).toEqual([true, true]);
    expect(await marks({ enabled: true, strategy: "Auto" })).toEqual([true, true]);
    expect(await marks({ enabled: true, strategy: "Disabled" })).toEqual([false, false]);
    expect(await marks({ enabled: false, strategy: "Auto" })).toEqual([false, false]);
    const manual = { cache_system: false, cache_tools: true, cache_messages: false };
    expect(await marks({ enabled: true, strategy: { Manual: manual } })).toEqual([false, true]);
  });

  it("The limits, prices and delays of a config and a loop are those of the definition", () => {
    const modelConfig = ModelConfig.anthropic("m", "M", {
      api_key: key,
      max_tokens: 77,
      context_window: 1000,
      cost: { input_per_million: 1, output_per_million: 2, cache_read_per_million: 3, cache_write_per_million: 4 },
    });
    const retryConfig = { max_retries: 1, initial_delay_ms: 2, backoff_multiplier: 3, max_delay_ms: 4 };
    const { model } = modelsOf({ modelConfig, retryConfig });
    expect(model).toMatchObject({
      maxTokens: 77,
      contextWindow: 1000,
      inputPrice: 1,
      outputPrice: 2,
      cachedPrice: 3,
      cacheWritePrice: 4,
      retry: { maxRetries: 1, initialDelayMs: 2, multiplier: 3, maxDelayMs: 4 },
    });
    expect(JSON.stringify(model)).not.toContain(key);
  });

  it("The address of a cloud follows from the place that the config names, before the environment's", async () => {
    const addresses: string[] = [];
    const fetch = ((input: Parameters<typeof globalThis.fetch>[0]) => {
      addresses.push(new Request(input).url);
      return Promise.reject(new TypeError("No network."));
    }) as typeof globalThis.fetch;
    const env = {
      AWS_REGION: "us-east-1",
      AWS_ENDPOINT_URL_BEDROCK_RUNTIME: "https://bedrock.example",
      GOOGLE_VERTEX_PROJECT: "other",
      GOOGLE_VERTEX_BASE_URL: "https://vertex.example/v1",
      AZURE_BASE_URL: "https://azure.example/openai/v1",
    };
    const configs = [
      ModelConfig.bedrock("amazon.nova-lite-v1:0", "Nova", { api_key: key, region: "eu-central-1" }),
      ModelConfig.googleVertex("gemini-2.5-pro", "Gemini", { api_key: key, project: "p", location: "europe-west4" }),
      ModelConfig.azureOpenai("gpt", "GPT", { api_key: key, resource: "mine", deployment: "d" }),
    ];
    for (const modelConfig of configs) {
      const { port, model } = modelsOf({ modelConfig }, { env, fetch });
      await partsOf(port, modelRequest(model));
    }
    expect(addresses.map((address) => address.split("?")[0])).toEqual([
      "https://bedrock-runtime.eu-central-1.amazonaws.com/model/amazon.nova-lite-v1%3A0/converse-stream",
      "https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4/publishers/google/models/gemini-2.5-pro:streamGenerateContent",
      "https://mine.openai.azure.com/openai/v1/responses",
    ]);
  });
});

describe("checks", () => {
  const good = { id: "m", name: "M", api: "openai_completions", provider: "openai", api_key: "sk-secret-12345" };
  const refused: [title: string, fields: object, message: string][] = [
    ["an unknown field", { max_token: 5 }, "There is no field `model_config.max_token`. The fields are id, name,"],
    [
      "an unknown protocol",
      { api: "openai" },
      '`model_config.api` is "openai". It has to be one of "anthropic_messages",',
    ],
    ["no id", { id: undefined }, "`model_config.id` is missing."],
    ["an empty name", { name: " " }, '`model_config.name` is " ". It has to be a text that is not empty.'],
    ["a limit of 0", { max_tokens: 0 }, "`model_config.max_tokens` is 0. It has to be a whole number above 0."],
    ["half a token", { context_window: 1.5 }, "`model_config.context_window` is 1.5."],
    ["a negative price", { cost: { input_per_million: -1 } }, "`model_config.cost.input_per_million` is -1."],
    ["an unknown price", { cost: { input: 1 } }, "There is no field `model_config.cost.input`."],
    ["an address without a protocol", { base_url: "localhost:80" }, "`model_config.base_url` is not right."],
    ["an address of a file", { base_url: "file:///etc" }, 'an address that begins with "https://" or "http://"'],
    [
      "a password in its address",
      { base_url: "https://u:sk-secret-12345@h.example" },
      "an address without a name and password",
    ],
    [
      "an unknown compat",
      { compat: { supports_store: true } },
      "There is no field `model_config.compat.supports_store`.",
    ],
    ["a wrong field of the limit", { compat: { max_tokens_field: "limit" } }, '"max_tokens", "max_completion_tokens"'],
    ["a key that is no text", { api_key: 5 }, "`model_config.api_key` is number. It has to be a text."],
    ["a key of two lines", { api_key: "sk-secret-12345\nx" }, "`model_config.api_key` contains a space, a line break"],
    ["an empty key of a provider at its own address", { api_key: "" }, "`model_config.api_key` is empty."],
    ["a header of two lines", { headers: { a: "sk-secret-12345\r\nx: y" } }, 'The header "a" of `model_config`'],
    ["a header that is no text", { headers: { a: 1 } }, 'The header "a" of `model_config`'],
    ["a name that no header has", { headers: { "a b": "c" } }, "which no header has"],
    [
      "the region of another protocol",
      { region: "eu-central-1" },
      "`model_config.region` is for bedrock_converse_stream",
    ],
    ["an unknown server without an address", { provider: "unknown" }, "`model_config.base_url` is missing"],
    ["a region with a path", { api: "bedrock_converse_stream", region: "x.example/" }, "`model_config.region` is"],
    [
      "a version without an address",
      { api: "azure_openai_responses", api_version: "2025-01-01" },
      "needs `resource` or `base_url`",
    ],
    [
      "the compat of Chat Completions with another protocol",
      { api: "openai_responses", compat: { max_tokens_field: "max_tokens" } },
      "is for openai_completions",
    ],
  ];

  it.each(refused)("A config with %s is refused by name before anything is sent", (_title, fields, message) => {
    const modelConfig = { ...good, ...fields } as unknown as ModelConfig;
    const run = () => modelsOf({ modelConfig });
    expect(run).toThrow(LoopError);
    expect(run).toThrow(message);
    expect(run).not.toThrow("sk-secret-12345");
  });

  it("A config that is no object, and a wrong thinking level, cache config or retry config are refused", () => {
    expect(() => modelsOf({ modelConfig: "gpt-4o" as never })).toThrow(
      "`model_config` has to be the config of a model",
    );
    const modelConfig = ModelConfig.from(good as ModelConfig);
    expect(() => modelsOf({ modelConfig, thinkingLevel: "high" as never })).toThrow('The thinking level is "high".');
    expect(() => modelsOf({ modelConfig, cacheConfig: { enabled: "yes" } as never })).toThrow(
      "`enabled` of the cache config",
    );
    expect(() => modelsOf({ modelConfig, cacheConfig: { enabled: true, strategy: "auto" } as never })).toThrow(
      "`strategy`",
    );
    expect(() =>
      modelsOf({ modelConfig, cacheConfig: { enabled: true, strategy: { Manual: { cache_system: true } } } as never }),
    ).toThrow("`cache_tools`");
    expect(() => modelsOf({ modelConfig, retryConfig: { retries: 1 } as never })).toThrow(
      "There is no field `retries`",
    );
    expect(() => modelsOf({ modelConfig: { ...modelConfig, reasoning: false }, thinkingLevel: "High" })).toThrow(
      'The thinking level is "High", and `model_config.reasoning` is false.',
    );
  });
});
