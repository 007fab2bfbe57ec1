// A provider of a project over a model of the AI SDK: what the model receives, what is read of its stream, and how its errors end an answer.

import { createAnthropic } from "@ai-sdk/anthropic";
import type { LanguageModelV3CallOptions } from "@ai-sdk/provider";
import { describe, expect, inject, it } from "vitest";

import type { ModelPart, ModelRequest } from "#core/ports/model-port.ts";
import { createModelPort } from "#models/create-model-port.ts";
import {
  defineProvider,
  type AiSdkProviderDefinition,
  type AnyModelDefinition,
  type ProviderOptionsRequest,
} from "#spec/index.ts";

import { collect, message, readAnswer, request } from "./ask-model.ts";
import { grammarFaults } from "./grammar.ts";
import { ownFile, ownModel } from "./own-providers.ts";

const named = ` (provider "mine" of ${ownFile})`;

interface StreamOptions {
  more?: Partial<ModelRequest>;
  model?: Partial<AnyModelDefinition>;
  provider?: Partial<AiSdkProviderDefinition>;
  signal?: AbortSignal;
}

async function askModel(make: (...given: never[]) => unknown, requested: StreamOptions = {}): Promise<ModelPart[]> {
  const definition = defineProvider({ ...requested.provider, name: "mine", model: make as never });
  const port = createModelPort({ env: {}, fetch });
  const signal = requested.signal ?? new AbortController().signal;
  const parts = await collect(port.stream(request(ownModel(definition, requested.model), requested.more), signal));
  expect(grammarFaults(parts)).toEqual([]);
  return parts;
}

function streamOf(parts: readonly unknown[]): ReadableStream<unknown> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

/** A model whose stream has these parts. */
function modelOf(parts: readonly unknown[], onCall: (options: LanguageModelV3CallOptions) => void = () => undefined) {
  return {
    specificationVersion: "v3",
    provider: "p",
    modelId: "m",
    doStream: (options: LanguageModelV3CallOptions) => {
      onCall(options);
      return Promise.resolve({ stream: streamOf(parts) });
    },
  };
}

const usage = { inputTokens: { total: 3, noCache: 3 }, outputTokens: { total: 2 } };
const finish = { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage };
const said = [
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: "Hi" },
  { type: "text-end", id: "1" },
];

async function failureOf(make: (...given: never[]) => unknown, requested: StreamOptions = {}) {
  const { end } = readAnswer(await askModel(make, requested));
  return end.type === "error" ? end.failure : null;
}

describe("the model of a provider", () => {
  it("PROVIDER13 The provider's model answers with its text, tokens and raw log, also if it sends no raw chunks", async () => {
    const parts = await askModel(() => modelOf([{ type: "stream-start", warnings: [] }, ...said, finish]));
    const { text, end } = readAnswer(parts);
    expect(text).toBe("Hi");
    expect(end).toMatchObject({ type: "finish", stop_reason: "stop", usage: { input: 3, output: 2 } });
    const raw = parts.flatMap((part) => (part.type === "raw" ? [JSON.parse(part.chunk)] : []));
    expect(raw).toEqual([...said, finish]);
    const logged = await askModel(() => modelOf([{ type: "raw", rawValue: { a: 1 } }, ...said, finish]));
    expect(logged.flatMap((part) => (part.type === "raw" ? [part.chunk] : []))).toEqual(['{"a":1}']);
  });

  it("PROVIDER13 A model is made for each request, by a function or by a promise", async () => {
    const ids: string[] = [];
    const make = async (modelId: string) => {
      ids.push(modelId);
      return modelOf([...said, finish]);
    };
    const definition = defineProvider({ name: "mine", model: make as never });
    const port = createModelPort({ env: {}, fetch });
    const requested = request(ownModel(definition));
    for (let time = 0; time < 2; time += 1) await collect(port.stream(requested, new AbortController().signal));
    expect(ids).toEqual(["m-1", "m-1"]);
  });

  it.each([
    [
      "a model with the specification v2",
      { ...modelOf([]), specificationVersion: "v2" },
      'a model with the specification "v2" of the AI SDK; it has to be "v3"',
    ],
    ["a model without a specification", { doStream: () => null }, "with the specification undefined"],
    ["the id of a model", "openai/gpt-5", 'returned "openai/gpt-5", and no model of the AI SDK'],
    ["nothing", undefined, "returned undefined"],
    [
      "a model that streams nothing",
      { ...modelOf([]), doStream: () => Promise.resolve({}) },
      "`doStream` returned no object with a ReadableStream",
    ],
  ])("PROVIDER14 A provider that returns %s fails with a sentence and its file", async (_what, model, text) => {
    const failed = await failureOf(() => model);
    expect(failed).toMatchObject({ kind: "api", retryable: false });
    expect(failed?.message).toContain(text);
    expect(failed?.message.endsWith(named)).toBe(true);
  });

  it("PROVIDER14 An error that the provider throws is the failure of the request", async () => {
    const failing = () => {
      throw new ReferenceError("key is not defined");
    };
    expect((await failureOf(failing))?.message).toBe(`ReferenceError: key is not defined${named}`);
    const refusing = () => ({
      ...modelOf([]),
      doStream: () => Promise.reject(Object.assign(new Error("busy"), { statusCode: 503 })),
    });
    expect(await failureOf(refusing)).toMatchObject({ kind: "network", retryable: true, status: 503 });
  });

  it.each([
    ["a value that is no part", [5], "has 5 in place of a part"],
    ["a text without its id", [{ type: "text-delta", delta: "Hi" }], 'a part "text-delta" whose id is undefined'],
    ["a text that is no text", [{ type: "text-delta", id: "1", delta: 5 }], "whose delta is 5"],
    [
      "a call without an id",
      [{ type: "tool-call", toolCallId: "", toolName: "a", input: "{}" }],
      'whose toolCallId is ""',
    ],
    [
      "a call whose input is an object",
      [{ type: "tool-call", toolCallId: "a", toolName: "a", input: {} }],
      "whose input is an object",
    ],
    [
      "the tokens of another specification",
      [{ ...finish, usage: { inputTokens: 1, outputTokens: 1 } }],
      'a part "finish" whose usage is an object',
    ],
    ["the end of another specification", [{ ...finish, finishReason: "stop" }], 'whose finishReason is "stop"'],
    ["a part after the end", [...said, finish, ...said], 'a part "text-start" after the part "finish"'],
    [
      "metadata that are a text",
      [{ ...said[0], providerMetadata: "a" }],
      "whose providerMetadata are too long, or no object",
    ],
  ])("PROVIDER14 A stream that has %s fails with a sentence", async (_what, parts, text) => {
    const failed = await failureOf(() => modelOf(parts));
    expect(failed?.kind).toBe("api");
    expect(failed?.message).toContain(text);
  });

  it("PROVIDER14 A name of the model that is no text fails with a sentence, because it is stored", async () => {
    const parts = [{ type: "response-metadata", modelId: { id: 5 } }, ...said, finish];
    expect((await failureOf(() => modelOf(parts)))?.message).toContain(
      'a part "response-metadata" whose modelId is an object',
    );
    const known = [{ type: "response-metadata", modelId: "m-2" }, ...said, finish];
    expect(readAnswer(await askModel(() => modelOf(known))).end).toMatchObject({ model_id: "m-2" });
  });

  it("PROVIDER13 The bytes of a file are part of the answer, and not of the raw log", async () => {
    const data = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);
    const parts = await askModel(() => modelOf([{ type: "file", mediaType: "image/png", data }, finish]));
    expect(parts).toContainEqual({ type: "media_delta", index: 0, delta: "iVBORw==" });
    const [logged] = parts.flatMap((part) => (part.type === "raw" ? [JSON.parse(part.chunk)] : []));
    expect(logged).toEqual({ type: "file", mediaType: "image/png" });
  });

  it("PROVIDER14 A part of a newer type is left out", async () => {
    expect(readAnswer(await askModel(() => modelOf([{ type: "future" }, ...said, finish]))).text).toBe("Hi");
  });

  it("PROVIDER14 A stream without finish is an answer that broke off", async () => {
    expect(await failureOf(() => modelOf(said))).toMatchObject({ kind: "network", retryable: true });
    expect(await failureOf(() => modelOf([]))).toMatchObject({ kind: "network", retryable: true });
  });

  it("PROVIDER11 An abort ends a request whose provider never returns a model", async () => {
    const control = new AbortController();
    const make = () => {
      control.abort();
      return new Promise(() => undefined);
    };
    expect(await failureOf(make, { signal: control.signal })).toMatchObject({ kind: "aborted" });
  });
});

describe("the request of a model", () => {
  async function received(requested: StreamOptions): Promise<LanguageModelV3CallOptions> {
    const calls: LanguageModelV3CallOptions[] = [];
    await askModel(() => modelOf([...said, finish], (options) => calls.push(options)), requested);
    const [first] = calls;
    if (first === undefined) throw new Error("the model was not called");
    return first;
  }

  it("PROVIDER13 The provider's options are sent under the name of its package", async () => {
    const requested: ProviderOptionsRequest[] = [];
    const options = (given: ProviderOptionsRequest) => {
      requested.push(given);
      return { effort: given.thinking?.effort };
    };
    const more = { reasoning: { effort: "high" as const }, parallelToolCalls: false };
    expect((await received({ more, provider: { options, optionsName: "groq" } })).providerOptions).toEqual({
      groq: { effort: "high" },
    });
    expect(requested).toEqual([{ thinking: { effort: "high", tokens: 8192 }, parallelToolCalls: false }]);
    const wrong = await failureOf(() => modelOf([]), { provider: { options: (() => 5) as never } });
    expect(wrong?.message).toBe(`The function \`options\` has to return an object of options, and no promise.${named}`);
  });

  it("PROVIDER13 A request for thinking, for none, or for one call at a time that the provider cannot pass on is named in the log", async () => {
    const tools = [{ name: "get_weather", description: "Weather", parameters: { type: "object" as const } }];
    const warningsOf = async (more: Partial<ModelRequest>, model: Partial<AnyModelDefinition> = {}) => {
      const [first] = await askModel(() => modelOf([...said, finish]), { more, model });
      const { warnings = [] } = first?.type === "raw" ? (JSON.parse(first.chunk) as { warnings?: string[] }) : {};
      return warnings;
    };
    const because = `was left out, because the provider of ${ownFile} has no function \`options\`.`;
    expect(await warningsOf({ reasoning: { effort: "high" } })).toEqual([`The request for thinking ${because}`]);
    expect(await warningsOf({}, { thinkingLevel: "off" })).toEqual([`The request for no thinking ${because}`]);
    const oneCall = [`The request for one call at a time ${because}`];
    expect(await warningsOf({ parallelToolCalls: false, tools })).toEqual(oneCall);
    expect(await warningsOf({ parallelToolCalls: false })).toEqual([]);
    expect(await warningsOf({ tools })).toEqual([]);
  });

  it("PROVIDER13 A structure is sent to a model that supports it, and headers of the definition are sent", async () => {
    const structure = { name: "verdict", schema: { type: "object" as const, properties: { ok: { type: "boolean" } } } };
    const native = { capabilities: { structuredOutputs: true }, headers: { "x-team": "a" } };
    const sent = await received({ more: { structure }, model: native });
    expect(sent).toMatchObject({ responseFormat: { type: "json", name: "verdict" }, headers: { "x-team": "a" } });
    expect(await received({ more: { structure } })).toMatchObject({
      tools: [{ name: "verdict" }],
      toolChoice: { type: "tool" },
    });
  });

  it("PROVIDER15 Opaque data of an answer are sent back to the provider that sent them, and to no other one", async () => {
    const parts = await askModel(() =>
      modelOf([
        { type: "reasoning-start", id: "1" },
        { type: "reasoning-delta", id: "1", delta: "Hm." },
        { type: "reasoning-end", id: "1", providerMetadata: { groq: { signature: "s1", at: undefined, of: () => 1 } } },
        ...said,
        finish,
      ]),
    );
    const thought = parts.find((part) => part.type === "thinking_end");
    expect(thought).toEqual({
      type: "thinking_end",
      index: 0,
      provider_data: { provider: "provider:mine", data: { groq: { signature: "s1" } } },
    });
    const stored = (provider: string) => ({
      messages: [
        message("user", { parts: [{ type: "text", text: "Hi" }] }),
        message("assistant", {
          parts: [
            { type: "thinking", thinking: "Hm.", provider_data: { provider, data: { groq: { signature: "s1" } } } },
            { type: "text", text: "Hi" },
          ],
        }),
        message("user", { parts: [{ type: "text", text: "And?" }] }),
      ] as ModelRequest["messages"],
    });
    const answered = async (provider: string) =>
      (await received({ more: stored(provider) })).prompt.find(({ role }) => role === "assistant")?.content;
    expect(await answered("provider:mine")).toMatchObject([
      { type: "reasoning", text: "Hm.", providerOptions: { groq: { signature: "s1" } } },
      { type: "text", text: "Hi" },
    ]);
    expect(await answered("anthropic")).toEqual([{ type: "text", text: "Hi" }]);
    expect(await answered("provider:other")).toEqual([{ type: "text", text: "Hi" }]);
  });
});

it("PROVIDER13 A package with another protocol than OpenAI's answers with a tool call through the context's fetch", async () => {
  const make = (modelId: string, { fetch: given }: { fetch: typeof fetch }) =>
    createAnthropic({ baseURL: `${inject("modelServer")}/v1`, apiKey: "own-secret-0008", fetch: given })(modelId);
  const tools = [
    {
      name: "get_weather",
      description: "Weather",
      parameters: { type: "object" as const, properties: { city: { type: "string" } } },
    },
  ];
  const parts = await askModel(make as never, { model: { model: "case:tool-call" }, more: { tools } });
  const { calls, end } = readAnswer(parts);
  expect(calls.map(({ name, arguments: given }) => [name, JSON.parse(given)])).toEqual([
    ["get_weather", { city: "Zürich" }],
  ]);
  expect(end).toMatchObject({ type: "finish", stop_reason: "tool_calls" });
  const thought = readAnswer(await askModel(make as never, { model: { model: "case:thinking" } }));
  expect(thought.thinking).not.toBe("");
  const refused = await failureOf(make as never, { model: { model: "case:rate-limit" } });
  expect(refused).toMatchObject({ kind: "rate_limited", retryable: true });
});
