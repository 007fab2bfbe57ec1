// The provider `openai-compatible`: the servers with presets, servers by address alone, keys of any name and no key.

import { describe, expect, inject, it } from "vitest";

import { secretsOf } from "#lib/deployment-secrets.ts";
import { createModelPort } from "#models/create-model-port.ts";
import { notReadyMessage, readiness } from "#models/readiness.ts";
import { modelPresets, type AnyModelDefinition, type PresetName, type ServerPreset } from "#spec/index.ts";

import { checkedFetch } from "../support/wire-rules/checked-fetch.ts";
import { collect, keys, model, readAnswer, request } from "./ask-model.ts";
import type { Sent } from "./sent-request.ts";

const provider = "openai-compatible";
const presets = Object.entries(modelPresets) as [PresetName, ServerPreset][];
const addressOf = (preset: PresetName): string => `${preset.replaceAll("-", "_").toUpperCase()}_BASE_URL`;

/** Sends one request with a definition. The model server answers in place of the server's address. */
async function ask(definition: Partial<AnyModelDefinition>, env: Record<string, string>) {
  const sent: { url: string; key: string | null; body: Sent }[] = [];
  const port = createModelPort({
    env: { ...keys, ...env },
    fetch: checkedFetch((input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      const key = new Headers(init?.headers).get("authorization");
      sent.push({ url, key, body: JSON.parse(typeof init?.body === "string" ? init.body : "null") as Sent });
      return fetch(`${inject("modelServer")}/v1/chat/completions`, init);
    }),
  });
  const requested = request(model(provider, "case:text", definition));
  const parts = await collect(port.stream(requested, new AbortController().signal));
  return { sent, parts };
}

describe("presets", () => {
  it.for(presets)(
    "A model with the preset %s sends its request to the server's address with the key of the server's variable",
    async ([preset, { baseUrl, keyVariable }]) => {
      const { sent, parts } = await ask({ preset }, { [keyVariable]: "key-of-the-server" });
      expect(sent.map(({ url, key }) => [url, key])).toEqual([
        [`${baseUrl}/chat/completions`, "Bearer key-of-the-server"],
      ]);
      expect(readAnswer(parts).end).toMatchObject({ type: "finish" });
    },
  );

  it.for(presets)(
    "A model with the preset %s needs the key of its server, and is ready without one only if the server usually has none",
    ([preset, { keyVariable, keyless }]) => {
      const definition = model(provider, "m", { preset });
      const missing = { ready: false, missing: keyVariable };
      expect(readiness(definition, keys)).toEqual(keyless === true ? { ready: true, missing: null } : missing);
      expect(readiness(definition, { [keyVariable]: "k" })).toEqual({ ready: true, missing: null });
    },
  );

  it("A server that usually has no key is sent a key only if its variable is set", async () => {
    const { sent } = await ask({ preset: "ollama" }, {});
    expect(sent.map(({ key }) => key)).toEqual([null]);
    const { sent: withKey } = await ask({ preset: "ollama" }, { OLLAMA_API_KEY: "of-ollama" });
    expect(withKey.map(({ key }) => key)).toEqual(["Bearer of-ollama"]);
  });

  it.for(presets)(
    "A variable replaces the address of the preset %s, a bare host gets the path of the server's API, and baseUrl takes precedence",
    async ([preset, { baseUrl, keyVariable }]) => {
      const env = { [keyVariable]: "k", [addressOf(preset)]: "https://proxy.example" };
      const { pathname } = new URL(baseUrl);
      const urls = async (definition: Partial<AnyModelDefinition>) =>
        (await ask({ preset, ...definition }, env)).sent.map(({ url }) => url);
      expect(await urls({})).toEqual([`https://proxy.example${pathname.replace(/\/$/, "")}/chat/completions`]);
      expect(await urls({ baseUrl: "https://own.example/v9" })).toEqual(["https://own.example/v9/chat/completions"]);
    },
  );

  it("The differences of a preset hold at any address, and a definition overrides each of them", async () => {
    const env = { MISTRAL_API_KEY: "k" };
    const streamOptions = async (definition: Partial<AnyModelDefinition>) =>
      (await ask({ preset: "mistral", baseUrl: "https://proxy.example/v1", ...definition }, env)).sent.map(
        ({ body }) => body["stream_options"],
      );
    expect(await streamOptions({})).toEqual([undefined]);
    expect(await streamOptions({ compat: { supportsStreamUsage: true } })).toEqual([{ include_usage: true }]);
    expect(await streamOptions({ preset: "groq", keyVariable: null })).toEqual([{ include_usage: true }]);
  });

  it.for([
    ["a server with a preset", { preset: "groq" }],
    ["the binding AI", { provider: "workers-ai", model: "@cf/a/b" }],
  ] as const)(
    "The plain deltas of %s are read directly, as those of any server with Chat Completions",
    async ([, fields]) => {
      const chunk = (delta: object, finish_reason: string | null = null) => {
        const choices = [{ index: 0, delta, finish_reason }];
        return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`;
      };
      const events = Array.from({ length: 20 }, (_, at) => chunk({ content: `word ${String(at)} ` }));
      const waiting = [...events, chunk({}, "stop"), "data: [DONE]\n\n"];
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          const next = waiting.shift();
          if (next === undefined) controller.close();
          else controller.enqueue(new TextEncoder().encode(next));
        },
      });
      const respond = () => Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));
      const port = createModelPort({ env: { GROQ_API_KEY: "k", AI: { run: respond } }, fetch: respond });
      let direct = 0;
      const requested = request({ ...model(provider, "m"), ...fields });
      for await (const part of port.stream(requested, new AbortController().signal))
        if (part.type === "finish") direct = part.chunks?.direct ?? 0;
      expect(direct).toBeGreaterThan(0);
    },
  );

  it.for([
    [
      "in `usage.cached_tokens`",
      { usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12, cached_tokens: 4 } },
      {},
    ],
    ["in the choice", {}, { usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12, cached_tokens: 4 } }],
  ] as const)("Cached tokens that a server reports %s are counted as cached", async ([, ofChunk, ofChoice]) => {
    const choice = { index: 0, delta: { content: "Hi" }, finish_reason: "stop", ...ofChoice };
    const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [choice], ...ofChunk };
    const body = `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`;
    const headers = { "content-type": "text/event-stream" };
    const port = createModelPort({
      env: { MOONSHOT_API_KEY: "k" },
      fetch: () => Promise.resolve(new Response(body, { headers })),
    });
    const requested = request(model(provider, "kimi-k2.5", { preset: "moonshot" }));
    const { end } = readAnswer(await collect(port.stream(requested, new AbortController().signal)));
    expect(end).toMatchObject({ usage: { input: 6, cache_read: 4, output: 2, total_tokens: 12 } });
  });

  it("Qwen is sent its own field that turns thinking off", async () => {
    const { sent } = await ask({ preset: "qwen", thinkingLevel: "off" }, { DASHSCOPE_API_KEY: "k" });
    expect(sent.map(({ body }) => [body["enable_thinking"], body["reasoning_effort"]])).toEqual([[false, undefined]]);
  });
});

it.for(presets)(
  "The variable with the address of the preset %s is a setting, and its value is not redacted",
  ([preset]) => {
    const env = { [addressOf(preset)]: "https://proxy.example/v1" };
    expect(secretsOf(env, Object.keys(env))).toEqual([]);
  },
);

describe("keys", () => {
  it("Two models of one provider send the keys of their own variables", async () => {
    const baseUrl = "https://llm.example/v1";
    const env = { TEAM_A: "key-of-team-a", TEAM_B: "key-of-team-b" };
    for (const [keyVariable, key] of Object.entries(env)) {
      const { sent } = await ask({ baseUrl, keyVariable }, env);
      expect(sent.map((request) => request.key)).toEqual([`Bearer ${key}`]);
    }
    expect(readiness(model("anthropic", "m", { keyVariable: "TEAM_C" }), { ...keys, ...env })).toEqual({
      ready: false,
      missing: "TEAM_C",
    });
  });

  it("A model that names the variable of its key needs it, also at a server that usually has none", () => {
    const definition = model(provider, "m", { preset: "ollama", keyVariable: "TEAM_KEY" });
    expect(readiness(definition, keys)).toEqual({ ready: false, missing: "TEAM_KEY" });
    expect(readiness(definition, { TEAM_KEY: "k" })).toEqual({ ready: true, missing: null });
  });

  it("A model at a base URL without a preset reads OPENAI_COMPATIBLE_API_KEY, and never the key of OpenAI", async () => {
    const baseUrl = "https://llm.example/v1";
    const { sent, parts } = await ask({ baseUrl }, {});
    expect([sent, parts]).toMatchObject([[], [{ type: "error", failure: { kind: "not_configured" } }]]);
    expect(JSON.stringify(parts)).toContain("OPENAI_COMPATIBLE_API_KEY");
    const { sent: withKey } = await ask({ baseUrl }, { OPENAI_COMPATIBLE_API_KEY: "own" });
    expect(withKey.map(({ key }) => key)).toEqual(["Bearer own"]);
  });

  it("A model with keyVariable null sends no key, also if the variable of its server is set", async () => {
    const baseUrl = "https://llm.example/v1";
    const env = { OPENAI_COMPATIBLE_API_KEY: "own", XAI_API_KEY: "of-xai" };
    const { sent } = await ask({ baseUrl, keyVariable: null }, env);
    const { sent: ofPreset } = await ask({ preset: "xai", keyVariable: null }, env);
    expect([...sent, ...ofPreset].map(({ key }) => key)).toEqual([null, null]);
  });

  it("A key that is read from a variable with any name is removed from errors and from the raw chunks", async () => {
    const port = createModelPort({
      env: { PLAIN: "value-of-the-secret" },
      fetch: () => Promise.resolve(new Response(JSON.stringify({ error: "bad value-of-the-secret" }), { status: 401 })),
    });
    const requested = request(model(provider, "m", { baseUrl: "https://llm.example/v1", keyVariable: "PLAIN" }));
    const parts = JSON.stringify(await collect(port.stream(requested, new AbortController().signal)));
    expect(parts).not.toContain("value-of-the-secret");
    expect(parts).toContain("(The key is read from PLAIN.)");
  });
});

describe("definitions that cannot be used", () => {
  it.for([
    ["without an address", { provider }, "needs the address of the server: a baseUrl, or a preset (cerebras, "],
    [
      "with an unknown preset",
      { provider, preset: "constructor" },
      'has no preset "constructor"; expected one of cerebras, ',
    ],
    ["of another provider with a preset", { provider: "openai", preset: "xai" }, 'use provider: "openai-compatible"'],
    ["of Anthropic without a key", { provider: "anthropic", keyVariable: null }, "null is for a server at a baseUrl"],
    [
      "with a protocol that it does not have",
      { provider, preset: "xai", api: "responses" },
      '"responses" is not a protocol',
    ],
  ] as const)("A model %s is not ready, sends no request, and its error states the fix", async ([, fields, text]) => {
    const definition = { ...model(provider, "m"), ...fields } as AnyModelDefinition;
    const env = { ...keys, XAI_API_KEY: "k" };
    expect(readiness(definition, env)).toEqual({ ready: false, missing: null });
    expect(notReadyMessage(definition)).toContain(text);
    const port = createModelPort({ env, fetch: () => Promise.reject(new Error("nothing may be sent")) });
    const parts = await collect(port.stream(request(definition), new AbortController().signal));
    expect(parts).toMatchObject([{ type: "error", failure: { kind: "not_configured" } }]);
    expect(JSON.stringify(parts)).toContain(JSON.stringify(text).slice(1, -1));
  });
});
