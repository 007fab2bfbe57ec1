// The provider `workers-ai` over the runtime's own binding `AI`: what the binding sends, and what is read from the forms in which Workers AI
// answers and refuses.

import { env as workerEnv } from "cloudflare:workers";
import { describe, expect, inject, it } from "vitest";

import { createModelPort } from "#models/create-model-port.ts";
import { notReadyMessage, readiness } from "#models/readiness.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { ask, callAndResult, collect, model, readAnswer, request, serverPort, user } from "./ask-model.ts";
import { grammarFaults } from "./grammar.ts";

const provider = "workers-ai";

interface Sent {
  path: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
  binding: { name: string; model: string; options: Record<string, unknown> };
}

/** Sends a request, and returns what the binding sent and what was read. */
async function exchange(definition: Partial<AnyModelDefinition>, more: Parameters<typeof request>[1] = {}) {
  const id = crypto.randomUUID();
  const named = model(provider, "case:text", { headers: { "x-server-id": id }, ...definition });
  const parts = await collect(serverPort().stream(request(named, more), new AbortController().signal));
  const sent = (await (await fetch(`${inject("modelServer")}/__requests?id=${id}`)).json()) as [Sent];
  return { sent: sent[0], parts };
}

it("A model of OpenAI by the binding is sent the efforts of reasoning that it accepts, as at OpenAI", async () => {
  const effort = async (id: string, thinkingLevel: "off" | "high") => {
    const sent: unknown[] = [];
    const run = (_model: string, inputs: object) => {
      sent.push(Reflect.get(inputs, "reasoning_effort"));
      return Promise.reject(new Error("no answer is needed"));
    };
    const port = createModelPort({ env: { AI: { run } }, fetch });
    const requested = request({ name: "m", provider, model: id, thinkingLevel });
    await collect(port.stream(requested, new AbortController().signal));
    return sent;
  };
  expect(await effort("openai/gpt-4o", "high")).toEqual([undefined]);
  expect(await effort("openai/gpt-5", "off")).toEqual(["minimal"]);
  expect(await effort("openai/gpt-5.4", "off")).toEqual(["none"]);
});

const weather = {
  name: "get_weather",
  description: "The weather",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

describe("what the binding sends", () => {
  it("A request to a model of Workers AI is sent by the binding, without a key and without a gateway", async () => {
    const { sent, parts } = await exchange({});
    expect(sent).toMatchObject({
      path: "/run",
      binding: { name: "AI", model: "@cf/case:text", options: { returnRawResponse: true } },
      body: { stream: true },
    });
    expect(sent.binding.options).not.toHaveProperty("gateway");
    expect(sent.headers).not.toHaveProperty("authorization");
    expect(readAnswer(parts)).toMatchObject({ text: "Hello there, how can I help?", end: { type: "finish" } });
  });

  it("A request has the tools, the images and the temperature of a request of Chat Completions", async () => {
    const image = { type: "image", mime_type: "image/png", data: "iVBORw0KGgo=" } as const;
    const messages = [{ ...user("What is it?"), parts: [{ type: "text" as const, text: "What is it?" }, image] }];
    const { sent } = await exchange({}, { tools: [weather], temperature: 0.5, messages });
    expect(sent.body).toMatchObject({
      temperature: 0.5,
      tools: [{ type: "function", function: { name: "get_weather" } }],
    });
    expect(JSON.stringify(sent.body["messages"])).toContain("data:image/png;base64,iVBORw0KGgo=");
  });

  it("An assistant message with calls alone has an empty text, because Workers AI refuses null", async () => {
    const { sent } = await exchange({}, { messages: [user("Hello?"), ...callAndResult("call_1")], tools: [weather] });
    const messages = sent.body["messages"] as { role: string; content: unknown; tool_calls?: unknown[] }[];
    const [assistant] = messages.filter(({ role }) => role === "assistant");
    expect(assistant).toMatchObject({ content: "", tool_calls: [{ id: "call_1" }] });
  });

  it.for([
    ["openai/case:text", "/ai-gateway/run", { id: "default" }],
    ["google/case:text", "/ai-gateway/run", { id: "default" }],
  ] as const)("A model of another vendor, %s, goes through the account's gateway", async ([id, path, gateway]) => {
    const { sent, parts } = await exchange({ model: id });
    expect(sent).toMatchObject({ path, binding: { model: id, options: { gateway } } });
    expect(readAnswer(parts).text).toBe("Hello there, how can I help?");
  });

  it("A model of Anthropic is sent a request of the Messages API, and its thinking is signed by Anthropic", async () => {
    const { sent, parts } = await exchange({ model: "anthropic/case:text" });
    expect(sent).toMatchObject({
      path: "/ai-gateway/run",
      binding: { model: "anthropic/case:text", options: { gateway: { id: "default" } } },
      body: { max_tokens: 8192, stream: true, system: [{ type: "text" }] },
    });
    expect(readAnswer(parts).text).toBe("Hello there, how can I help?");
    const thought = await exchange({ model: "anthropic/case:thinking" });
    const owners = thought.parts.flatMap((part) =>
      part.type === "thinking_end" ? [part.provider_data?.provider] : [],
    );
    expect(owners).toEqual(["anthropic"]);
  });

  it("A dynamic route goes through the gateway of its definition, and a definition's gateway replaces the account's", async () => {
    const gateway = { id: "team", cacheTtl: 60, skipCache: false, cacheKey: "k", collectLog: true };
    for (const id of ["dynamic/case:text", "openai/case:text", "@cf/case:text"]) {
      const { sent } = await exchange({ model: id, gateway });
      expect(sent).toMatchObject({ path: "/ai-gateway/run", binding: { model: id, options: { gateway } } });
    }
  });

  it("Structured output is a forced call at Workers AI, unless the definition states that the model supports it", async () => {
    const structure = { name: "place", schema: weather.parameters };
    const forced = await exchange({}, { structure });
    expect([forced.sent.body["tool_choice"], forced.sent.body["tools"]]).toMatchObject([
      "required",
      [{ type: "function" }],
    ]);
    expect(forced.sent.body).not.toHaveProperty("response_format");
    for (const definition of [{ capabilities: { structuredOutputs: true } }, { model: "openai/case:text" }]) {
      const native = await exchange(definition, { structure });
      expect(native.sent.body).toMatchObject({ response_format: { type: "json_schema" } });
    }
  });
});

describe("the older form of answers", () => {
  const usage = { input: 12, output: 8, total_tokens: 20 };

  it("The pieces of an answer are read from response, and the end mark ends it", async () => {
    const parts = await ask(provider, "native-text");
    expect(grammarFaults(parts)).toEqual([]);
    expect(readAnswer(parts)).toMatchObject({
      text: "Hello there7",
      end: { type: "finish", stop_reason: "stop", usage },
    });
  });

  it("A stream without its end mark is a retryable network error", async () => {
    const { text, end } = readAnswer(await ask(provider, "native-cut"));
    expect([text.trim(), end]).toMatchObject([
      "The answer begins but",
      { failure: { kind: "network", retryable: true } },
    ]);
  });

  it("Whole tool calls are read with their arguments as an object or as a text", async () => {
    const parts = await ask(provider, "native-calls", { tools: [weather, { ...weather, name: "get_time" }] });
    expect(grammarFaults(parts)).toEqual([]);
    const { text, calls, end } = readAnswer(parts);
    expect(text).toBe("Let me look.");
    expect(calls.map(({ name, arguments: given }) => [name, JSON.parse(given)])).toEqual([
      ["get_weather", { city: "Paris" }],
      ["get_time", { zone: "UTC" }],
    ]);
    expect(end).toMatchObject({ type: "finish", stop_reason: "tool_calls", usage: { input: 30, output: 9 } });
  });

  it.for([
    ["in the envelope of Cloudflare's API", "document", "Hello from a document."],
    ["with an object as its response", "document-object", '{"city":"Oslo","degrees":7}'],
    ["in the form of Chat Completions", "document-chat", "Hello in the form of Chat Completions."],
  ] as const)("An answer that is one document %s is read as an answer", async ([, name, text]) => {
    const parts = await ask(provider, name);
    expect(grammarFaults(parts)).toEqual([]);
    expect(readAnswer(parts)).toMatchObject({ text, end: { type: "finish", usage } });
  });

  it("A document with calls is read as an answer with calls", async () => {
    const { calls, end } = readAnswer(await ask(provider, "document-calls", { tools: [weather] }));
    expect(calls).toMatchObject([{ name: "get_weather", arguments: '{"city":"Oslo"}' }]);
    expect(end).toMatchObject({ type: "finish", stop_reason: "tool_calls" });
  });
});

describe("errors of Workers AI", () => {
  it.for([
    ["the free allocation of a day is used up", "neurons", { kind: "rate_limited", retryable: false, status: 429 }],
    ["there is no capacity", "capacity", { kind: "rate_limited", retryable: true, status: 429 }],
    ["the model does not exist", "no-model", { kind: "api", retryable: false, status: 400 }],
    ["the request is too long for the model", "too-long", { kind: "overflow", status: 413 }],
    ["the terms of the model are not accepted", "agreement", { kind: "auth", retryable: false, status: 403 }],
    ["the request took too long", "timeout", { kind: "api", retryable: true, status: 408 }],
    ["the model is not sold by Cloudflare", "no-billing", { kind: "api", retryable: false, status: 402 }],
  ] as const)("A refusal because %s has its class and its sentence", async ([, name, failure]) => {
    const { end } = readAnswer(await ask(provider, name));
    expect(end).toMatchObject({ type: "error", failure });
    expect(JSON.stringify(end)).not.toContain("internalCode");
  });

  it("An error in a stream has the class of its code", async () => {
    const { end: busy } = readAnswer(await ask(provider, "capacity-mid-stream"));
    expect(busy).toMatchObject({ failure: { kind: "rate_limited", retryable: true } });
    const { end: long } = readAnswer(await ask(provider, "workers-ai-error-first"));
    expect(long).toMatchObject({ failure: { kind: "overflow" } });
  });

  it("A binding without an account ends the request with a sentence about the login, and is not asked again", async () => {
    const AI = { run: () => Promise.reject(new Error("Binding AI needs to be run remotely")) };
    const port = createModelPort({ env: { AI }, fetch });
    const parts = await collect(port.stream(request(model(provider, "m")), new AbortController().signal));
    expect(parts).toMatchObject([{ type: "error", failure: { kind: "api", retryable: false } }]);
    expect(JSON.stringify(parts)).toContain("npx wrangler login");
  });
});

describe("readiness", () => {
  it("A model is ready with the binding, and without it the error names the lines of the configuration", async () => {
    const definition = model(provider, "zai-org/glm-4.7-flash");
    expect(readiness(definition, { ...workerEnv })).toEqual({ ready: true, missing: null });
    for (const AI of [undefined, "a text", {}, { run: "no function" }]) {
      expect(readiness(definition, { AI })).toEqual({ ready: false, missing: "AI" });
    }
    const port = createModelPort({ env: {}, fetch: () => Promise.reject(new Error("nothing may be sent")) });
    const parts = await collect(port.stream(request(definition), new AbortController().signal));
    const message = notReadyMessage(definition);
    expect(parts).toMatchObject([{ type: "error", failure: { kind: "not_configured", message } }]);
    expect(message).toContain('"ai": { "binding": "AI" }');
  });

  it.for([
    ["without an author", { model: "glm-4.7-flash" }, "is not a model id that the binding AI accepts"],
    ["of a dynamic route without a gateway", { model: "dynamic/support" }, 'gateway: { id: "…" }'],
    ["with a base URL", { baseUrl: "https://llm.example/v1" }, "the binding AI has no address"],
    ["with a variable for a key", { keyVariable: "TEAM_KEY" }, "the binding AI needs no key"],
    ["with a preset", { preset: "groq" }, 'the provider "workers-ai" has no preset "groq"'],
    ["with a protocol of OpenAI", { api: "responses" }, '"responses" is not a protocol'],
  ] as const)("A model %s is not ready, and its error states the fix", ([, fields, text]) => {
    const definition = { ...model(provider, "m"), ...fields } as AnyModelDefinition;
    expect(readiness(definition, { ...workerEnv })).toEqual({ ready: false, missing: null });
    expect(notReadyMessage(definition)).toContain(text);
  });
});
