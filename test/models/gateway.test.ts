// The option `gateway` of a model: the address, the headers, the secrets and the log of AI Gateway in front of each provider.

import { env as workerEnv } from "cloudflare:workers";
import { describe, expect, inject, it } from "vitest";

import { costOf } from "#core/model/cost.ts";
import { createModelPort } from "#models/create-model-port.ts";
import { missingNames, notReadyMessage, readiness } from "#models/readiness.ts";
import { modelPresets, type AnyModelDefinition, type PresetName } from "#spec/index.ts";

import { checkedFetch } from "../support/wire-rules/checked-fetch.ts";
import {
  collect,
  keys,
  message,
  model,
  providers as all,
  readAnswer,
  request,
  user,
  type Answer,
  type Provider,
} from "./ask-model.ts";
import { bytesOf } from "./fixture-bytes.ts";

const account = {
  CLOUDFLARE_ACCOUNT_ID: "acc",
  AZURE_RESOURCE_NAME: "res",
  GOOGLE_VERTEX_PROJECT: "p",
  GOOGLE_VERTEX_LOCATION: "l",
};
const gateway = { id: "team" };
const origin = { thread: "thread-1", run: "run-1", user: "user-1" };

/** The providers with an address at AI Gateway without a region, which has no Responses API of Azure. */
const throughGateway = all.filter((provider) => provider !== "azure" && provider !== "bedrock");

const paths: Record<Exclude<Provider, "azure" | "bedrock">, { sent: string; server: string }> = {
  openai: { sent: "openai/responses", server: "/v1/responses" },
  "openai-responses": { sent: "openai/responses", server: "/v1/responses" },
  anthropic: { sent: "anthropic/v1/messages", server: "/v1/messages" },
  google: {
    sent: "google-ai-studio/v1beta/models/case:text:streamGenerateContent?alt=sse",
    server: "/v1beta/models/case:text:streamGenerateContent",
  },
  openrouter: { sent: "openrouter/v1/chat/completions", server: "/api/v1/chat/completions" },
  "azure-chat": {
    sent: "azure-openai/res/case%3Atext/chat/completions?api-version=2024-10-21",
    server: "/v1/chat/completions",
  },
  vertex: {
    sent: "google-vertex-ai/v1/projects/p/locations/l/publishers/google/models/case:text:streamGenerateContent?alt=sse",
    server: "/v1beta/models/case:text:streamGenerateContent",
  },
  "vertex-claude": {
    sent: "google-vertex-ai/v1/projects/p/locations/l/publishers/anthropic/models/claude-case%3Atext:streamRawPredict",
    server: "/gateway/publishers/anthropic/models/claude-case%3Atext:streamRawPredict",
  },
};

/** Sends a request. The model server answers in place of the gateway, with the id of a log entry. */
async function ask(
  definition: AnyModelDefinition,
  env: Record<string, unknown>,
  { server, more = {} }: { server: string; more?: Parameters<typeof request>[1] },
) {
  const sent: { url: string; headers: Headers; body: string }[] = [];
  const port = createModelPort({
    env: { ...keys, ...env },
    fetch: checkedFetch(async (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      sent.push({ url, headers: new Headers(init?.headers), body: typeof init?.body === "string" ? init.body : "" });
      const response = await fetch(inject("modelServer") + server, init);
      const headers = new Headers(response.headers);
      headers.set("cf-aig-log-id", "01LOG");
      return new Response(response.body, { status: response.status, headers });
    }),
  });
  const parts = await collect(port.stream(request(definition, { origin, ...more }), new AbortController().signal));
  return { sent, parts, end: readAnswer(parts).end };
}

describe("the way through a gateway", () => {
  it.for(throughGateway)(
    "A model of %s sends its own protocol to the gateway's address, and its last part has the id of the log entry",
    async (provider) => {
      const { sent, end } = await ask(model(provider, "case:text", { gateway }), account, {
        server: paths[provider].server,
      });
      expect(sent.map(({ url }) => url)).toEqual([
        `https://gateway.ai.cloudflare.com/v1/acc/team/${paths[provider].sent}`,
      ]);
      expect(end).toMatchObject({ type: "finish", gateway_log_id: "01LOG" });
      const refused = await ask(model(provider, "case:auth", { gateway }), account, {
        server: paths[provider].server.replace(/case(:|%3A)text/, "case$1auth"),
      });
      expect(refused.end).toMatchObject({ type: "error", gateway_log_id: "01LOG" });
    },
  );

  it.for(Object.keys(modelPresets) as PresetName[])(
    "A model with the preset %s goes through the gateway if AI Gateway has an address for it, and is refused otherwise",
    async (preset) => {
      const known = {
        cerebras: "cerebras",
        deepseek: "deepseek",
        groq: "groq",
        mistral: "mistral/v1",
        perplexity: "perplexity-ai",
        xai: "grok/v1",
      };
      const path = (known as Partial<Record<PresetName, string>>)[preset];
      const definition = model("openai-compatible", "case:text", { preset, gateway, keyVariable: "KEY" });
      const env = { ...account, KEY: "key-of-the-server" };
      if (path === undefined) {
        expect(notReadyMessage(definition, env)).toContain(`AI Gateway has no address for the preset "${preset}"`);
        expect(readiness(definition, env)).toEqual({ ready: false, missing: null });
        return;
      }
      const { sent } = await ask(definition, env, { server: "/v1/chat/completions" });
      expect(sent.map(({ url, headers }) => [url, headers.get("authorization")])).toEqual([
        [`https://gateway.ai.cloudflare.com/v1/acc/team/${path}/chat/completions`, "Bearer key-of-the-server"],
      ]);
    },
  );

  it("Without an account the binding returns the gateway's address, and a definition's account takes precedence", async () => {
    const { server } = paths.anthropic;
    const env = { AI: Reflect.get(workerEnv, "AI") as unknown };
    const byBinding = await ask(model("anthropic", "case:text", { gateway }), env, { server });
    const url = "https://gateway.ai.cloudflare.com/v1/account-of-binding/team/anthropic/v1/messages";
    expect(byBinding.sent.map((sent) => sent.url)).toEqual([url]);
    const own = model("anthropic", "case:text", { gateway: { ...gateway, accountId: "own/account" } });
    const byDefinition = await ask(own, { ...env, ...account }, { server });
    expect(byDefinition.sent.map((sent) => sent.url)).toEqual([url.replace("account-of-binding", "own%2Faccount")]);
  });

  it("Thinking that was signed at the provider itself is sent back through a gateway, and the other way round", async () => {
    const { server } = paths.anthropic;
    const { parts } = await ask(model("anthropic", "case:thinking", { gateway }), account, { server });
    const data = parts.flatMap((part) =>
      part.type === "thinking_end" && part.provider_data ? [part.provider_data] : [],
    );
    expect(data).toMatchObject([{ provider: "anthropic" }]);
    const [provider_data] = data;
    if (provider_data === undefined) return;
    const thought = { type: "thinking" as const, thinking: "I think.", provider_data };
    const messages = [
      user("Hi"),
      message("assistant", { parts: [thought, { type: "text", text: "Hello." }] }),
      user("And?"),
    ];
    const more = { messages, reasoning: { effort: "low", include: true } } as Parameters<typeof request>[1];
    for (const definition of [model("anthropic", "case:text", { gateway }), model("anthropic", "case:text")]) {
      const { sent } = await ask(definition, account, { server, more });
      expect(sent[0]?.body).toContain('"signature"');
    }
  });
});

describe("headers of a gateway", () => {
  const { server } = paths.anthropic;

  it("The options of a gateway are its headers, and its log has the thread, the run and the user", async () => {
    const options = {
      ...gateway,
      cacheTtl: 60,
      skipCache: false,
      cacheKey: "k",
      collectLog: true,
      requestTimeoutMs: 5000,
    };
    const definition = model("anthropic", "case:text", {
      gateway: { ...options, metadata: { team: "Grüße", paid: true } },
    });
    const { sent } = await ask(definition, { ...account, CF_AIG_TOKEN: "token-of-the-gateway" }, { server });
    const headers = Object.fromEntries([...(sent[0]?.headers ?? [])].filter(([name]) => name.startsWith("cf-aig-")));
    expect(headers).toEqual({
      "cf-aig-authorization": "Bearer token-of-the-gateway",
      "cf-aig-cache-ttl": "60",
      "cf-aig-skip-cache": "false",
      "cf-aig-cache-key": "k",
      "cf-aig-collect-log": "true",
      "cf-aig-request-timeout": "5000",
      "cf-aig-metadata": expect.any(String) as string,
    });
    expect(JSON.parse(headers["cf-aig-metadata"] ?? "")).toEqual({ ...origin, team: "Grüße", paid: true });
    expect(sent[0]?.headers.get("x-api-key")).toBe(keys.ANTHROPIC_API_KEY);
  });

  it("A gateway without options gets no header but the entries of its log, and metadata false removes them", async () => {
    const names = async (metadata?: false) => {
      const definition = model("anthropic", "case:text", {
        gateway: { ...gateway, ...(metadata === false ? { metadata } : {}) },
      });
      const { sent } = await ask(definition, account, { server });
      return [...(sent[0]?.headers.keys() ?? [])].filter((name) => name.startsWith("cf-aig-"));
    };
    expect(await names()).toEqual(["cf-aig-metadata"]);
    expect(await names(false)).toEqual([]);
  });

  it.for(throughGateway)("A model of %s without a key sends no key to a gateway that has the key", async (provider) => {
    const definition = model(provider, "case:text", { gateway, keyVariable: null });
    const { sent, end } = await ask(definition, account, { server: paths[provider].server });
    const present = ["authorization", "x-api-key", "x-goog-api-key", "api-key"].filter((name) =>
      sent[0]?.headers.has(name),
    );
    expect([present, end.type]).toEqual([[], "finish"]);
  });

  it("The token of a gateway, read from a variable with any name, is removed from errors and from raw chunks", async () => {
    const definition = model("anthropic", "m", { gateway: { ...gateway, tokenVariable: "PLAIN" } });
    const port = createModelPort({
      env: { ...keys, ...account, PLAIN: "value-that-is-secret" },
      fetch: () => Promise.resolve(new Response('{"error":{"message":"bad value-that-is-secret"}}', { status: 401 })),
    });
    const parts = JSON.stringify(await collect(port.stream(request(definition), new AbortController().signal)));
    expect(parts).not.toContain("value-that-is-secret");
    expect(parts).toContain("bad ");
    // The gateway or the provider may have refused the request.
    expect(parts).toContain("(The key is read from ANTHROPIC_API_KEY. The token of the gateway is read from PLAIN.)");
  });
});

describe("an answer from the cache of a gateway", () => {
  const prices = { inputPrice: 1, outputPrice: 2 };

  /** The end of an answer whose responses have these statuses of the cache, in turn. */
  async function endWith(definition: AnyModelDefinition, bodies: BodyInit[], statuses: (string | undefined)[]) {
    const respond = (): Promise<Response> => {
      const headers = new Headers({ "content-type": "text/event-stream" });
      const status = statuses.shift();
      if (status !== undefined) headers.set("cf-aig-cache-status", status);
      return Promise.resolve(new Response(bodies.length > 1 ? bodies.shift() : bodies[0], { headers }));
    };
    const port = createModelPort({ env: { ...keys, ...account, AI: { run: respond } }, fetch: respond });
    return readAnswer(await collect(port.stream(request(definition), new AbortController().signal))).end;
  }

  const costOfEnd = (end: Answer["end"]): number | null =>
    end.type === "finish" ? costOf(prices, end.usage, end.reported_cost) : null;

  it.for([
    ["anthropic", { gateway }],
    ["openrouter", { gateway }],
    ["workers-ai", { gateway }],
    // A model of another vendor goes through the gateway of the account.
    ["workers-ai", { model: "openai/gpt-5" }],
    ["openai", { api: "chat", baseUrl: "https://gateway.ai.cloudflare.com/v1/acc/team/openai" }],
  ] as const)(
    "GATEWAY1 An answer of %s from the cache of a gateway has its tokens and costs nothing",
    async ([provider, fields]) => {
      const definition = model(provider, "m", { ...fields, ...prices } as Partial<AnyModelDefinition>);
      const bytes = await bytesOf(provider === "workers-ai" ? "openai" : provider, "text");
      const usage = { input: 12, output: 8 };
      const hit = await endWith(definition, [bytes], ["HIT"]);
      expect(hit).toMatchObject({ type: "finish", usage, reported_cost: 0 });
      expect(costOfEnd(hit)).toBe(0);
      for (const status of ["MISS", "EXPIRED", undefined]) {
        const missed = await endWith(definition, [bytes], [status]);
        expect(missed).toMatchObject({ type: "finish", usage });
        expect(costOfEnd(missed)).toBeGreaterThan(0);
      }
    },
  );

  it("GATEWAY1 A server that is no gateway cannot state that its answer costs nothing", async () => {
    const bytes = await bytesOf("anthropic", "text");
    for (const fields of [{}, { baseUrl: "https://gateway.ai.cloudflare.com.evil.example/v1" }])
      expect(costOfEnd(await endWith(model("anthropic", "m", { ...fields, ...prices }), [bytes], ["HIT"]))).toBe(
        0.000028,
      );
  });

  it("GATEWAY1 A turn of several requests costs nothing only if the cache answered all of them", async () => {
    const event = (data: { type: string }): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
    const answer = (id: string, stop_reason: string): string =>
      [
        { type: "message_start", message: { id, role: "assistant", content: [], usage: { input_tokens: 5 } } },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hm. " } },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 2 } },
        { type: "message_stop" },
      ]
        .map(event)
        .join("");
    const costWith = async (...statuses: string[]) => {
      const bodies = [answer("a", "pause_turn"), answer("b", "end_turn")];
      return costOfEnd(await endWith(model("anthropic", "claude-opus-4-7", { gateway, ...prices }), bodies, statuses));
    };
    expect(await costWith("HIT", "HIT")).toBe(0);
    for (const statuses of [
      ["MISS", "HIT"],
      ["HIT", "MISS"],
    ])
      expect(await costWith(...statuses)).toBe(0.000018);
  });
});

describe("gateways that cannot be used", () => {
  // Clouds lack the variables of their address in addition (azure.test.ts, vertex.test.ts).
  const ofKey = throughGateway.filter((provider) => !/^(?:azure|vertex)/.test(provider));
  it.for([...ofKey.map((provider) => ({ provider })), { provider: "openai-compatible", preset: "groq" } as const])(
    "READY1 A model of $provider names its missing key, token and account in one sentence, and is ready once they are set",
    async (named) => {
      const guarded = {
        ...model("anthropic", "m", { gateway: { ...gateway, tokenVariable: "TEAM_TOKEN" } }),
        ...(named as Pick<AnyModelDefinition, "provider">),
      };
      const names = missingNames(guarded, {});
      expect(names).toEqual([expect.stringMatching(/_API_KEY$/), "TEAM_TOKEN", "CLOUDFLARE_ACCOUNT_ID"]);
      const fetch = () => Promise.reject(new Error("nothing may be sent"));
      const port = createModelPort({ env: {}, fetch });
      const [part] = await collect(port.stream(request(guarded), new AbortController().signal));
      const [key = ""] = names;
      const puts = names.map((name) => `npx wrangler secret put ${name}`);
      expect(part).toMatchObject({ type: "error", failure: { kind: "not_configured" } });
      expect(JSON.stringify(part)).toContain(
        `needs ${key}, TEAM_TOKEN and CLOUDFLARE_ACCOUNT_ID, which are not set. For local development put ${key}=…, TEAM_TOKEN=… and ` +
          `CLOUDFLARE_ACCOUNT_ID=… into .dev.vars; for a deployment run: ${puts[0] ?? ""}, ${puts[1] ?? ""} and ${puts[2] ?? ""}. In place of`,
      );
      const values = Object.fromEntries(names.map((name) => [name, "set"]));
      expect(readiness(guarded, values)).toEqual({ ready: true, missing: null });
      for (const name of names) {
        const { [name]: _, ...others } = values;
        expect(missingNames(guarded, others)).toEqual([name]);
        expect(readiness(guarded, others)).toEqual({ ready: false, missing: name });
      }
    },
  );

  it("A model whose gateway lacks its account or its token is not ready, and its error names what is missing", () => {
    const definition = model("anthropic", "m", { gateway });
    expect(readiness(definition, keys)).toEqual({ ready: false, missing: "CLOUDFLARE_ACCOUNT_ID" });
    expect(notReadyMessage(definition, keys)).toContain("gateway.accountId");
    const guarded = model("anthropic", "m", { gateway: { ...gateway, tokenVariable: "TEAM_TOKEN" } });
    expect(readiness(guarded, { ...keys, ...account })).toEqual({ ready: false, missing: "TEAM_TOKEN" });
    expect(notReadyMessage(guarded, { ...keys, ...account })).toContain("TEAM_TOKEN");
    expect(readiness(guarded, { ...account, TEAM_TOKEN: "t" })).toEqual({ ready: false, missing: "ANTHROPIC_API_KEY" });
    expect(readiness(guarded, { ...keys, ...account, TEAM_TOKEN: "t" })).toEqual({ ready: true, missing: null });
  });

  it.for([
    ["of Bedrock", { provider: "bedrock" }, 'set baseUrl: "https://gateway.ai.cloudflare.com/v1/'],
    ["and a base URL", { provider: "anthropic", baseUrl: "https://llm.example" }, "two addresses of one model"],
    ["of a scripted provider", { provider: "test" }, 'AI Gateway has no address for the provider "test"'],
    [
      "with an account for the binding",
      { provider: "workers-ai", model: "@cf/a/b", gateway: { ...gateway, accountId: "a" } },
      "leave out accountId",
    ],
  ] as const)("A model with a gateway %s is refused with the fix", ([, fields, text]) => {
    const definition = { ...model("anthropic", "m", { gateway }), ...fields } as AnyModelDefinition;
    expect(notReadyMessage(definition, { ...keys, ...account })).toContain(text);
  });
});

describe("addresses of gateways that the binding returns", () => {
  const definition = model("anthropic", "m", { gateway });
  const failureWith = async (error: Error) => {
    const binding = { run: () => Promise.reject(error), gateway: () => ({ getUrl: () => Promise.reject(error) }) };
    const port = createModelPort({
      env: { ...keys, AI: binding },
      fetch: () => Promise.reject(new Error("nothing may be sent")),
    });
    const [part] = await collect(port.stream(request(definition), new AbortController().signal));
    return part?.type === "error" ? part.failure : null;
  };

  it("A binding that does not return the address of a gateway is a failure of the network, which is retried", async () => {
    expect(await failureWith(new Error("internal error; reference = abc"))).toMatchObject({
      kind: "network",
      retryable: true,
      message: expect.stringContaining("internal error; reference = abc") as string,
    });
  });

  it("A binding without an account states for the address of a gateway what it states for a request", async () => {
    const local = new Error("Binding AI needs to be run remotely");
    const failure = await failureWith(local);
    expect(failure).toMatchObject({ kind: "api", retryable: false });
    expect(failure?.message).toContain('Run "npx wrangler login"');
    const port = createModelPort({ env: { AI: { run: () => Promise.reject(local) } }, fetch });
    const bound = request(model("workers-ai", "m"));
    const [part] = await collect(port.stream(bound, new AbortController().signal));
    expect(part).toMatchObject({ type: "error", failure: { message: failure?.message } });
  });
});

it("A key that a definition states as a header reaches a gateway that has the key of the provider itself", async () => {
  const headersOf = async (headers: Record<string, string>) => {
    const definition = model("openai", "case:text", { api: "chat", gateway, keyVariable: null, headers });
    const { sent } = await ask(definition, account, { server: "/v1/chat/completions" });
    return sent[0]?.headers.get("authorization") ?? null;
  };
  expect(await headersOf({})).toBeNull();
  expect(await headersOf({ Authorization: "Custom own" })).toBe("Custom own");
});
