// The provider `vertex`: its addresses and headers, and the forms of Gemini and Claude at Vertex AI.

import { beforeAll, describe, expect, inject, it } from "vitest";

import type { ModelRequest } from "#core/ports/model-port.ts";
import { createModelPort } from "#models/create-model-port.ts";
import { missingNames, notReadyMessage, readiness } from "#models/readiness.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { checkedFetch } from "../support/wire-rules/checked-fetch.ts";
import { callAndResult, collect, emitted, message, model, readAnswer, request, user } from "./ask-model.ts";
import { callCloud, cloudPort } from "./cloud-requests.ts";

const place = { GOOGLE_VERTEX_PROJECT: "team-1", GOOGLE_VERTEX_LOCATION: "europe-west1" };
const express = { GOOGLE_VERTEX_API_KEY: "vertex-secret-0006" };
const ready = { ...place, GOOGLE_VERTEX_ACCESS_TOKEN: "ya29.vertex-secret-0006" };

/** The service account that the model server knows. */
let account = { client_email: "", private_key: "" };
let signing: Record<string, string> = {};
beforeAll(async () => {
  account = await (await fetch(`${inject("modelServer")}/__service-account`)).json();
  signing = { ...place, GOOGLE_CLIENT_EMAIL: account.client_email, GOOGLE_PRIVATE_KEY: account.private_key };
});

const call = (definition: Partial<AnyModelDefinition>, env: Record<string, unknown>) =>
  callCloud(model("vertex", "case:text", definition), env);

/** The request to a host that answers with an error. */
async function sentTo(
  definition: Partial<AnyModelDefinition>,
  env: Record<string, unknown>,
  more: Partial<ModelRequest> = {},
) {
  const { port, sent } = cloudPort(env, () => Response.json({ error: { message: "caught" } }, { status: 400 }));
  await collect(
    port.stream(request(model("vertex", "gemini-2.5-flash", definition), more), new AbortController().signal),
  );
  const [only, ...others] = sent;
  if (only === undefined || others.length > 0) throw new Error(`${sent.length} requests were sent`);
  return { ...only, body: JSON.parse(only.body) as Record<string, unknown> };
}

async function answered(definition: Partial<AnyModelDefinition>, status: number, body: string) {
  const port = createModelPort({
    env: ready,
    fetch: checkedFetch(() =>
      Promise.resolve(new Response(body, { status, headers: { "content-type": "application/json" } })),
    ),
  });
  return collect(port.stream(request(model("vertex", "gemini-9", definition)), new AbortController().signal));
}

const gemini = "publishers/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse";
const claudeId = "claude-sonnet-4-5@20250929";
const claude = "publishers/anthropic/models/claude-sonnet-4-5%4020250929:streamRawPredict";

describe("addresses", () => {
  it.for<[string, string, Partial<AnyModelDefinition>, Record<string, string>]>([
    [
      "a region",
      `https://europe-west1-aiplatform.googleapis.com/v1/projects/team-1/locations/europe-west1/${gemini}`,
      {},
      ready,
    ],
    [
      "the location global",
      `https://aiplatform.googleapis.com/v1/projects/team-1/locations/global/${gemini}`,
      {},
      { ...ready, GOOGLE_VERTEX_LOCATION: "global" },
    ],
    [
      "a multi-region and Claude",
      `https://aiplatform.eu.rep.googleapis.com/v1/projects/team-1/locations/eu/${claude}`,
      { model: claudeId },
      { ...ready, GOOGLE_VERTEX_LOCATION: "eu" },
    ],
    [
      "Google Cloud's names of the variables",
      `https://us-east5-aiplatform.googleapis.com/v1/projects/other/locations/us-east5/${claude}`,
      { model: claudeId },
      { GOOGLE_VERTEX_ACCESS_TOKEN: "ya29.t", GOOGLE_CLOUD_PROJECT: "other", GOOGLE_CLOUD_LOCATION: "us-east5" },
    ],
    ["an API key", `https://aiplatform.googleapis.com/v1/${gemini}`, {}, { ...express, ...place }],
    [
      "a base URL of the definition",
      `https://proxy.example/v1/projects/p/locations/l/${gemini}`,
      { baseUrl: "https://proxy.example/v1/projects/p/locations/l/" },
      { GOOGLE_VERTEX_ACCESS_TOKEN: "ya29.t" },
    ],
  ])("CLOUD1 With %s the request goes to %s", async ([, url, definition, env]) => {
    const sent = await sentTo(definition, env);
    expect(sent.url).toBe(url);
    const isKey = "GOOGLE_VERTEX_API_KEY" in env;
    expect(sent.headers.get("x-goog-api-key")).toBe(isKey ? express.GOOGLE_VERTEX_API_KEY : null);
    expect(sent.headers.get("authorization")).toBe(isKey ? null : `Bearer ${env["GOOGLE_VERTEX_ACCESS_TOKEN"]}`);
    expect(sent.headers.has("x-api-key")).toBe(false);
  });

  it("Claude's model is in the address, and the version of the API in the body", async () => {
    const { body, headers } = await sentTo({ model: claudeId, headers: { "anthropic-beta": "one-2026-01-01" } }, ready);
    expect(body).toMatchObject({ anthropic_version: "vertex-2023-10-16", stream: true, max_tokens: 8192 });
    expect(body).not.toHaveProperty("model");
    expect(headers.get("anthropic-beta")).toBe("one-2026-01-01");
    expect(headers.has("anthropic-version")).toBe(false);
  });

  it("Headers of a definition choose provisioned throughput and the tier of a request", async () => {
    const headers = { "X-Vertex-AI-LLM-Request-Type": "dedicated", "X-Vertex-AI-LLM-Shared-Request-Type": "priority" };
    const sent = await sentTo({ headers }, ready);
    for (const [name, value] of Object.entries(headers)) expect(sent.headers.get(name)).toBe(value);
  });

  it("Params set labels and safety settings of Gemini, and the betas of Claude, next to the fields of the runtime", async () => {
    const fields = {
      labels: { team: "search" },
      safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
      generationConfig: { topK: 5 },
    };
    const body = async (definition: Partial<AnyModelDefinition>, params: NonNullable<ModelRequest["params"]>) =>
      (await sentTo(definition, ready, { params, maxTokens: 50 })).body;
    expect(await body({}, fields)).toMatchObject({
      ...fields,
      generationConfig: { topK: 5, maxOutputTokens: 50 },
    });
    const options = { anthropic_beta: ["context-1m-2025-08-07"], service_tier: "auto", top_k: 5 };
    expect(await body({ model: claudeId }, options)).toMatchObject({ ...options, max_tokens: 50 });
  });

  it("Claude at Vertex AI has the cache marks that the definition asks for, and none if the cache is disabled", async () => {
    const more = {
      messages: [user("One"), message("assistant", { parts: [{ type: "text", text: "1" }] }), user("Two")],
      tools: [{ name: "get_weather", description: "w", parameters: { type: "object" } }],
    };
    const marked = async (definition: Partial<AnyModelDefinition>) => {
      const { body } = await sentTo({ model: claudeId, ...definition }, ready, more);
      return ["system", "tools", "messages"].filter((part) => JSON.stringify(body[part]).includes("cache_control"));
    };
    expect(await marked({})).toEqual(["system", "tools", "messages"]);
    expect(await marked({ cache: { system: true, messages: true } })).toEqual(["system", "messages"]);
    expect(await marked({ cache: { tools: true } })).toEqual(["tools"]);
    expect(await marked({ cache: "disabled" })).toEqual([]);
  });

  it("Requests through AI Gateway have the path of the project and the location", async () => {
    const gateway = { id: "team-gateway", accountId: "acc" };
    const base = "https://gateway.ai.cloudflare.com/v1/acc/team-gateway/google-vertex-ai/v1";
    expect((await sentTo({ gateway }, ready)).url).toBe(`${base}/projects/team-1/locations/europe-west1/${gemini}`);
    expect((await sentTo({ gateway, model: claudeId }, ready)).url).toBe(
      `${base}/projects/team-1/locations/europe-west1/${claude}`,
    );
    expect((await sentTo({ gateway }, express)).url).toBe(`${base}/${gemini}`);
  });
});

describe("variables", () => {
  const definition = model("vertex", "gemini-2.5-flash");

  it("A model without variables needs a key, and credentials need a project and a location", () => {
    expect(readiness(definition, {})).toEqual({ ready: false, missing: "GOOGLE_VERTEX_API_KEY" });
    expect(notReadyMessage(definition, {})).toContain("GOOGLE_CLIENT_EMAIL and GOOGLE_PRIVATE_KEY");
    const credentials = { GOOGLE_CLIENT_EMAIL: "a@b.iam.gserviceaccount.com", GOOGLE_PRIVATE_KEY: "set" };
    expect(missingNames(definition, credentials)).toEqual(["GOOGLE_VERTEX_PROJECT", "GOOGLE_VERTEX_LOCATION"]);
    expect(readiness(definition, { GOOGLE_CLIENT_EMAIL: "a@b" })).toEqual({
      ready: false,
      missing: "GOOGLE_PRIVATE_KEY",
    });
    expect(readiness(definition, express)).toEqual({ ready: true, missing: null });
    expect(readiness(definition, { ...place, GOOGLE_APPLICATION_CREDENTIALS_JSON: "{}" })).toMatchObject({
      ready: true,
    });
  });

  it.for([
    ["GOOGLE_VERTEX_LOCATION", "evil.example/#"],
    ["GOOGLE_VERTEX_LOCATION", "us east5"],
    ["GOOGLE_VERTEX_LOCATION", "@evil.example"],
    ["GOOGLE_VERTEX_PROJECT", "../other"],
    ["GOOGLE_VERTEX_PROJECT", "a/b"],
  ] as const)("CLOUD1 No request is sent with %s %j, and the error names the variable", async ([name, value]) => {
    const { sent, parts } = await call({}, { ...ready, [name]: value });
    expect(sent).toEqual([]);
    expect(parts).toMatchObject([{ type: "error", failure: { kind: "not_configured" } }]);
    expect(JSON.stringify(parts)).toContain(name);
  });

  it("Claude with an API key is refused, because express mode has Gemini alone", async () => {
    const message = notReadyMessage(model("vertex", claudeId), express);
    expect(message).toContain("GOOGLE_VERTEX_API_KEY is an API key, which reaches Gemini alone");
    expect((await call({ model: claudeId }, express)).sent).toEqual([]);
  });

  it("A model of another vendor is refused with the address of its protocol", () => {
    const message = notReadyMessage(model("vertex", "meta/llama-4"), ready);
    expect(message).toContain('provider: "openai-compatible" with the baseUrl');
  });
});

describe("requests and answers", () => {
  it("Calls of Gemini are numbered by the provider, and no request contains an id of a call", async () => {
    const { parts } = await call({ model: "case:parallel-calls" }, signing);
    expect(readAnswer(parts).calls.map(({ id }) => id.replace(/_.*/, ""))).toEqual(["vertex-fc-0", "vertex-fc-1"]);
    const { body } = await sentTo({}, ready, {
      messages: [user("?"), ...callAndResult("vertex-fc-0")],
      tools: [{ name: "get_weather", description: "w", parameters: { type: "object" } }],
    });
    expect(JSON.stringify(body["contents"])).toContain('"functionResponse":{"name":"get_weather"');
    expect(JSON.stringify(body["contents"])).not.toContain("vertex-fc-0");
  });

  it("A signature of Gemini at Vertex AI is sent back to Vertex AI, and not to the Gemini API", async () => {
    const { parts } = await call({ model: "case:thinking-then-call" }, signing);
    const data = parts.flatMap((part) =>
      "provider_data" in part && part.provider_data !== undefined ? [part.provider_data] : [],
    );
    expect(data.length).toBeGreaterThan(0);
    expect(new Set(data.map(({ provider }) => provider))).toEqual(new Set(["vertex"]));
    const [provider_data] = data;
    const [requested, result] = callAndResult("vertex-fc-0");
    const calls = message("assistant", {
      parts: (requested?.parts ?? []).map((part) => ({ ...part, provider_data })) as never,
    });
    const messages = [user("?"), calls, result as never];
    const tools = [{ name: "get_weather", description: "w", parameters: { type: "object" } }];
    expect(JSON.stringify((await sentTo({}, ready, { messages, tools })).body)).toContain("thoughtSignature");
  });

  it("Thinking that Anthropic signed is sent to Claude at Vertex AI, and thinking of Vertex AI belongs to Anthropic", async () => {
    const { parts } = await call({ model: "claude-case:thinking" }, signing);
    const data = parts.flatMap((part) => (part.type === "thinking_end" ? [part.provider_data] : []));
    expect(data).toMatchObject([{ provider: "anthropic" }]);
    const signed = { provider: "anthropic", data: { anthropic: { signature: "sig-of-anthropic" } } };
    const thought = { type: "thinking" as const, thinking: "Hm.", provider_data: signed };
    const messages = [
      user("Hi"),
      message("assistant", { parts: [thought, { type: "text", text: "Hello." }] }),
      user("And?"),
    ];
    const more = { messages, reasoning: { effort: "low", include: true } as never };
    expect(JSON.stringify((await sentTo({ model: claudeId }, ready, more)).body)).toContain("sig-of-anthropic");
  });

  it("Claude at Vertex AI receives structures as a forced call, and images by URL as a line", async () => {
    const structure = {
      schema: {
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city"],
        additionalProperties: false,
      },
    };
    const image = {
      type: "image" as const,
      path: "/a.png",
      name: "a.png",
      mime_type: "image/png",
      url: "https://files.example/a.png",
    };
    const requested = message("user", { parts: [{ type: "text", text: "?" }, image] });
    const { body } = await sentTo({ model: claudeId }, ready, { structure: structure as never, messages: [requested] });
    expect(body).not.toHaveProperty("output_config");
    expect(body["tool_choice"]).toMatchObject({ type: "tool" });
    expect(JSON.stringify(body["messages"])).not.toContain('"url"');
    expect(JSON.stringify(body["messages"])).toContain("a.png");
  });

  it("Files in Cloud Storage are sent to Gemini as their addresses", async () => {
    const file = {
      type: "file" as const,
      path: "/a.pdf",
      name: "a.pdf",
      mime_type: "application/pdf",
      url: "gs://bucket/a.pdf",
    };
    const { body } = await sentTo({}, ready, {
      messages: [message("user", { parts: [{ type: "text", text: "?" }, file] })],
    });
    expect(JSON.stringify(body["contents"])).toContain(
      '"fileData":{"mimeType":"application/pdf","fileUri":"gs://bucket/a.pdf"}',
    );
  });

  it("The error for a model that the location does not have has Google's text, with the model, the definition and the variables", async () => {
    const text =
      "Publisher Model `projects/team-1/locations/europe-west1/publishers/google/models/gemini-9` was not found.";
    const body = JSON.stringify([{ error: { code: 404, message: text, status: "NOT_FOUND" } }]);
    const [end] = emitted(await answered({}, 404, body));
    expect(end).toMatchObject({ type: "error", failure: { kind: "api", status: 404, retryable: false } });
    for (const part of [text, "gemini-9", "vertex model", "GOOGLE_VERTEX_LOCATION"])
      expect(JSON.stringify(end)).toContain(part);
  });

  it("A location that no host has is an error that names the host and the variables", async () => {
    const port = createModelPort({
      env: ready,
      fetch: () => Promise.reject(new TypeError("Network connection lost.")),
    });
    const parts = await collect(port.stream(request(model("vertex", "gemini-9")), new AbortController().signal));
    const text = JSON.stringify(parts);
    for (const part of ["europe-west1-aiplatform.googleapis.com", "GOOGLE_VERTEX_LOCATION"])
      expect(text).toContain(part);
    expect(parts).toMatchObject([{ type: "error", failure: { kind: "network", retryable: true } }]);
  });
});
