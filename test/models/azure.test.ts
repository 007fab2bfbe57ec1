// The provider `azure`: its requests, the access tokens of Entra ID, the content filter, and what it refuses.

import { describe, expect, it } from "vitest";

import type { ModelRequest } from "#core/ports/model-port.ts";
import { createModelPort } from "#models/create-model-port.ts";
import { missingNames, notReadyMessage, readiness } from "#models/readiness.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { checkedFetch } from "../support/wire-rules/checked-fetch.ts";
import { collect, emitted, model, readAnswer, request } from "./ask-model.ts";
import { callCloud, cloudPort, clientEnv, expireToken, tokenEndpoint, type SentRequest } from "./cloud-requests.ts";

const key = { AZURE_API_KEY: "azure-secret-0005" };
const resource = { AZURE_RESOURCE_NAME: "team" };

/** Calls a deployment. The model server answers in place of Azure. */
const call = (definition: Partial<AnyModelDefinition>, env: Record<string, unknown>, more?: Partial<ModelRequest>) =>
  callCloud(model("azure", "case:text", definition), env, more);

/** Calls a deployment of a resource that answers with a status and a body. */
async function answered(
  definition: Partial<AnyModelDefinition>,
  status: number,
  body: string,
  type = "application/json",
) {
  const port = createModelPort({
    env: { ...key, ...resource },
    fetch: checkedFetch(() => Promise.resolve(new Response(body, { status, headers: { "content-type": type } }))),
  });
  return collect(port.stream(request(model("azure", "my-gpt", definition)), new AbortController().signal));
}

const chat = { api: "chat" } as const;

describe("requests", () => {
  it("The Responses API of Azure stores nothing, and returns encrypted reasoning", async () => {
    const { sent } = await call({}, { ...key, ...resource }, { reasoning: { effort: "low" } as never });
    const reasoning = { effort: "low", summary: "auto" };
    const include = ["reasoning.encrypted_content"];
    expect(JSON.parse(sent[0]?.body ?? "")).toMatchObject({ store: false, include, reasoning });
  });

  it("A definition's compat states for Chat Completions what the name of a deployment does not", async () => {
    const compat = { maxTokensField: "max_completion_tokens", supportsTemperature: false } as const;
    const requested = { maxTokens: 50, temperature: 0.5, reasoning: { effort: "low" } as never };
    const { sent } = await call({ ...chat, compat }, { ...key, ...resource }, requested);
    const body = JSON.parse(sent[0]?.body ?? "") as Record<string, unknown>;
    expect(body).toMatchObject({ max_completion_tokens: 50, reasoning_effort: "low" });
    expect(body).not.toHaveProperty("temperature");
    expect(body).not.toHaveProperty("max_tokens");
  });

  it.for([{}, chat])("A service tier, fields and headers of %j are in the request to Azure", async (definition) => {
    const params = { service_tier: "priority", user: "team-7", metadata: { team: "search" } };
    const headers = { "x-ms-client-request-id": "request-7" };
    const { sent } = await call({ ...definition, headers }, { ...key, ...resource }, { params });
    expect(JSON.parse(sent[0]?.body ?? "")).toMatchObject(params);
    const expected = { ...headers, "api-key": key.AZURE_API_KEY };
    expect(Object.fromEntries(sent[0]?.headers ?? [])).toMatchObject(expected);
  });

  it("Requests through AI Gateway go to the path of the resource and the deployment, with the version of the endpoint", async () => {
    const gateway = { id: "team-gateway", accountId: "acc" };
    const base = "https://gateway.ai.cloudflare.com/v1/acc/team-gateway/azure-openai/team/case%3Atext/chat/completions";
    const through = async (env: Record<string, string>) => {
      const { sent } = await call({ ...chat, gateway }, { ...key, ...env });
      return sent.map(({ url, headers }) => [url, headers.get("api-key")]);
    };
    expect(await through(resource)).toEqual([[`${base}?api-version=2024-10-21`, key.AZURE_API_KEY]]);
    expect(await through({ AZURE_BASE_URL: "https://team.openai.azure.com/?api-version=2025-01-01-preview" })).toEqual([
      [`${base}?api-version=2025-01-01-preview`, key.AZURE_API_KEY],
    ]);
    expect(notReadyMessage(model("azure", "m", { gateway }), { ...key, ...resource })).toContain('add api: "chat"');
  });
});

describe("variables", () => {
  const definition = model("azure", "my-gpt");

  it("A model without variables needs a key and a resource, and the error names the variables of access tokens too", () => {
    expect(readiness(definition, {})).toEqual({ ready: false, missing: "AZURE_API_KEY" });
    expect(missingNames(definition, {})).toEqual(["AZURE_API_KEY", "AZURE_RESOURCE_NAME"]);
    for (const text of ["AZURE_API_KEY", "AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET"])
      expect(notReadyMessage(definition, {})).toContain(text);
    expect(notReadyMessage(definition, key)).toContain("needs AZURE_RESOURCE_NAME,");
  });

  it.for([
    ["AZURE_OPENAI_API_KEY", { AZURE_OPENAI_API_KEY: "k", ...resource }],
    ["AZURE_OPENAI_ENDPOINT", { ...key, AZURE_OPENAI_ENDPOINT: "https://team.openai.azure.com" }],
    ["credentials", { ...clientEnv, ...resource }],
  ] as const)("A model is ready with %s", ([, env]) => {
    expect(readiness(definition, env)).toEqual({ ready: true, missing: null });
  });

  it("Credentials that lack a variable name it", () => {
    const { AZURE_CLIENT_SECRET: _, ...incomplete } = clientEnv;
    expect(readiness(definition, { ...incomplete, ...resource })).toEqual({
      ready: false,
      missing: "AZURE_CLIENT_SECRET",
    });
  });

  it.for(["https://team.openai.azure.com", "team.evil.example/#", "te am", "@evil.example"])(
    "CLOUD1 No request is sent to the resource %j, and the error names the variable",
    async (name) => {
      const env = { ...key, AZURE_RESOURCE_NAME: name };
      expect(readiness(definition, env)).toEqual({ ready: false, missing: null });
      const { sent, parts } = await call({}, env);
      expect(sent).toEqual([]);
      expect(parts).toMatchObject([{ type: "error", failure: { kind: "not_configured" } }]);
      expect(JSON.stringify(parts)).toContain("AZURE_RESOURCE_NAME");
    },
  );
});

it("An address that names no resource is an error that names its own variable, and a deployment cannot leave its folder", () => {
  const gateway = { id: "g", accountId: "a" };
  const definition = model("azure", "m", { api: "chat", gateway });
  expect(notReadyMessage(definition, { ...key, AZURE_BASE_URL: "http://[::1]/" })).toContain("variable AZURE_BASE_URL");
  for (const name of ["..", ".", " "])
    expect(readiness(model("azure", name), { ...key, ...resource })).toEqual({ ready: false, missing: null });
});

describe("access tokens", () => {
  it("CLOUD2 A token is created from the credentials, kept for later requests, and replaced once after a 401", async () => {
    const env = { ...clientEnv, AZURE_TENANT_ID: "tenant-kept", ...resource };
    const hosts = (sent: readonly SentRequest[]) => sent.map(({ url }) => new URL(url).host);
    const team = "team.openai.azure.com";
    const first = await call({}, env);
    expect(hosts(first.sent)).toEqual(["login.microsoftonline.com", team]);
    expect(first.sent[0]?.url).toBe("https://login.microsoftonline.com/tenant-kept/oauth2/v2.0/token");
    expect(first.sent[1]?.headers.get("authorization")).toMatch(/^Bearer eyJ/);
    expect(first.sent[1]?.headers.has("api-key")).toBe(false);
    expect(hosts((await call(chat, env)).sent)).toEqual([team]);
    await expireToken(first.sent[1] as SentRequest);
    const renewed = await call({}, env);
    expect(hosts(renewed.sent)).toEqual([team, "login.microsoftonline.com", team]);
    expect(readAnswer(renewed.parts).text).toBe("Hello there, how can I help?");
    // Another tenant has a token of its own.
    expect(hosts((await call({}, { ...env, AZURE_TENANT_ID: "tenant-other" })).sent)).toHaveLength(2);
  });

  it.for([
    ["team.openai.azure.us", "login.microsoftonline.us", "https://cognitiveservices.azure.us/.default"],
    ["team.openai.azure.cn", "login.partner.microsoftonline.cn", "https://cognitiveservices.azure.cn/.default"],
    ["team.services.ai.azure.com", "login.microsoftonline.com", "https://cognitiveservices.azure.com/.default"],
  ] as const)("A token for %s is created at %s, for its own scope", async ([host, authority, scope]) => {
    const { sent } = await call({}, { ...clientEnv, AZURE_BASE_URL: `https://${host}` });
    expect(new URL(sent[0]?.url ?? "").host).toBe(authority);
    expect(new URLSearchParams(sent[0]?.body).get("scope")).toBe(scope);
  });

  it("CLOUD2 A token that is refused again after its replacement ends the request, and names its variables", async () => {
    const { port, sent } = cloudPort({ ...clientEnv, AZURE_TENANT_ID: "tenant-denied", ...resource }, (url) =>
      url.host === "team.openai.azure.com"
        ? Response.json({ error: { code: "401", message: "The access token has expired." } }, { status: 401 })
        : null,
    );
    const parts = await collect(port.stream(request(model("azure", "m")), new AbortController().signal));
    expect(sent).toHaveLength(4);
    const message =
      "The access token has expired. (The access token is created from AZURE_TENANT_ID, AZURE_CLIENT_ID, AZURE_CLIENT_SECRET.)";
    expect(parts).toMatchObject([{ type: "error", failure: { kind: "auth", retryable: false, message } }]);
  });

  it("A ready token in a variable is sent as a bearer token", async () => {
    const ready = "eyJhbGciOiJub25lIn0.eyJhdWQiOiJ4In0.signature";
    for (const name of ["AZURE_OPENAI_AD_TOKEN", "AZURE_API_KEY"]) {
      const { sent } = await call({}, { [name]: ready, ...resource });
      expect(sent.map(({ headers }) => [headers.get("authorization"), headers.get("api-key")])).toEqual([
        [`Bearer ${ready}`, null],
      ]);
    }
  });

  tokenEndpoint({
    host: "login.microsoftonline.com",
    names: "AZURE_TENANT_ID, AZURE_CLIENT_ID, AZURE_CLIENT_SECRET",
    secret: clientEnv.AZURE_CLIENT_SECRET,
    definition: model("azure", "m"),
    // Each case has credentials of its own, because tokens are kept.
    envOf: (title) => ({ ...clientEnv, ...resource, AZURE_TENANT_ID: `tenant-${title.replaceAll(/\W/g, "-")}` }),
    text: "AADSTS7000215: Invalid client secret provided.",
    body: { error: "invalid_client", error_description: "AADSTS7000215: Invalid client secret provided." },
  });
});

describe("content filter", () => {
  const filtered = {
    hate: { filtered: false, severity: "safe" },
    jailbreak: { filtered: true, detected: true },
    violence: { filtered: true, severity: "high" },
  };
  const said = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.";
  const detail = `${said} Azure's content filter found jailbreak: detected, violence: high.`;
  const inner = { code: "ResponsibleAIPolicyViolation", content_filter_result: filtered };
  const refused = { message: said, type: null, param: "prompt", code: "content_filter", status: 400 };

  it.for<[string, Partial<AnyModelDefinition>, object]>([
    ["Chat Completions", chat, { ...refused, innererror: inner }],
    ["the Responses API", {}, { ...refused, innererror: inner }],
    [
      "the Responses API with its own report",
      {},
      { ...refused, content_filters: [{ blocked: true, source_type: "prompt", content_filter_results: filtered }] },
    ],
    ["Chat Completions with another code", chat, { ...refused, code: null, innererror: inner }],
  ])(
    "CLOUD3 A prompt that the filter of %s refuses ends the answer, with the text and the categories",
    async ([, definition, error]) => {
      const parts = await answered(definition, 400, JSON.stringify({ error }));
      expect(emitted(parts)).toMatchObject([{ type: "finish", stop_reason: "content_filter", stop_detail: detail }]);
    },
  );

  it.for([chat, {}])("Another refusal with status 400 of %j keeps its class and its text", async (definition) => {
    const error = { code: "OperationNotSupported", message: "The operation does not work with the specified model." };
    const parts = await answered(definition, 400, JSON.stringify({ error }));
    expect(emitted(parts)).toMatchObject([
      { type: "error", failure: { kind: "api", status: 400, retryable: false, message: error.message } },
    ]);
  });

  it("CLOUD3 An answer that the filter of Chat Completions stops has its text and its categories", async () => {
    const safe = { hate: { filtered: false, severity: "safe" } };
    const choice = (more: object) => ({ index: 0, finish_reason: null, logprobs: null, ...more });
    const chunks = [
      {
        choices: [],
        id: "",
        model: "",
        object: "",
        prompt_filter_results: [{ prompt_index: 0, content_filter_results: safe }],
      },
      { choices: [choice({ delta: { role: "assistant", content: "" }, content_filter_results: {} })] },
      { choices: [choice({ delta: { content: "To do" }, content_filter_results: safe })] },
      // The asynchronous filter sends its results without a delta.
      { choices: [choice({ content_filter_results: safe, content_filter_offsets: { check_offset: 1 } })] },
      { choices: [choice({ delta: {}, content_filter_results: filtered, finish_reason: "content_filter" })] },
    ];
    const body = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
    const { text, end } = readAnswer(await answered(chat, 200, `${body}data: [DONE]\n\n`, "text/event-stream"));
    expect(text).toBe("To do");
    const stop_detail = "Azure's content filter found jailbreak: detected, violence: high.";
    expect(end).toMatchObject({ type: "finish", stop_reason: "content_filter", stop_detail });
  });

  it("CLOUD3 An answer that the filter of the Responses API stops has its text and its categories", async () => {
    const item = { id: "msg_1", type: "message", role: "assistant" };
    const at = { item_id: "msg_1", output_index: 0, content_index: 0 };
    const response = { id: "resp_1", created_at: 1, model: "gpt-5.1", content_filters: null };
    const content_filters = [{ blocked: true, source_type: "completion", content_filter_results: filtered }];
    const ended = {
      ...response,
      content_filters,
      incomplete_details: { reason: "content_filter" },
      usage: { input_tokens: 12, output_tokens: 2 },
    };
    const events = [
      { type: "response.created", response },
      { type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } },
      { type: "response.output_text.delta", ...at, delta: "To do" },
      { type: "response.incomplete", response: ended },
    ];
    const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
    const { text, end } = readAnswer(await answered({}, 200, body, "text/event-stream"));
    expect(text).toBe("To do");
    const stop_detail = "Azure's content filter found jailbreak: detected, violence: high.";
    expect(end).toMatchObject({ type: "finish", stop_reason: "content_filter", stop_detail, usage: { input: 12 } });
  });
});

describe("refusals", () => {
  it("The error for a missing deployment has Azure's text, with the deployment, the definition and the variables of the address", async () => {
    const message =
      "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.";
    const body = JSON.stringify({ error: { type: "invalid_request_error", code: "DeploymentNotFound", message } });
    const [end] = emitted(await answered({}, 404, body));
    expect(end).toMatchObject({ type: "error", failure: { kind: "api", status: 404, retryable: false } });
    const text = JSON.stringify(end);
    for (const part of [message, '"my-gpt\\"', "azure model", "AZURE_RESOURCE_NAME"]) expect(text).toContain(part);
    const own = JSON.stringify(await answered({ baseUrl: "https://team.openai.azure.com" }, 404, body));
    expect(own).toContain("The address is baseUrl in the definition.");
  });

  it("A key that Azure refuses is an error that names its variable", async () => {
    const body = JSON.stringify({ error: { code: "401", message: "Access denied due to invalid subscription key." } });
    const message =
      "Access denied due to invalid subscription key. The key has to be one of the resource at this address. " +
      "The address is created from AZURE_RESOURCE_NAME. (The key is read from AZURE_API_KEY.)";
    expect(emitted(await answered({}, 401, body))).toMatchObject([
      { type: "error", failure: { kind: "auth", message } },
    ]);
  });
});

it("Reasoning that a resource encrypted is sent to this resource alone", async () => {
  const { parts } = await call({ model: "case:thinking" }, { ...key, ...resource });
  const data = parts.flatMap((part) => (part.type === "thinking_end" ? [part.provider_data] : []));
  expect(data).toMatchObject([{ provider: "azure-responses team.openai.azure.com" }]);
});

it("CLOUD2 No part of an answer contains a created token, including a replacement", async () => {
  const env = { ...clientEnv, AZURE_TENANT_ID: "tenant-shown", ...resource };
  let requested = 0;
  const received: string[] = [];
  const { port } = cloudPort(env, (url, headers) => {
    if (url.host !== "team.openai.azure.com") return null;
    const token = (headers.get("authorization") ?? "").replace("Bearer ", "");
    received.push(token);
    requested += 1;
    if (requested === 1) return new Response("expired", { status: 401 });
    const chunk = (content: string) => ({
      id: "1",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta: { content } }],
    });
    const events = [`It is ${token.slice(0, 9)}`, `${token.slice(9)}.`].map(
      (text) => `data: ${JSON.stringify(chunk(text))}\n\n`,
    );
    const failed = { error: { message: `not ${token}`, code: "server_error" } };
    return new Response(`${events.join("")}data: ${JSON.stringify(failed)}\n\n`, {
      headers: { "content-type": "text/event-stream" },
    });
  });
  const parts = await collect(port.stream(request(model("azure", "m", chat)), new AbortController().signal));
  expect(new Set(received).size).toBe(2);
  const shown = parts.filter((part) => part.type === "raw" || part.type === "error");
  expect(JSON.stringify(shown)).toContain("[redacted]");
  for (const token of received) expect(JSON.stringify(shown)).not.toContain(token);
  expect(JSON.stringify(shown)).not.toContain(received[1]?.slice(9));
});
