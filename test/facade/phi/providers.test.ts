// This package's providers in a loop, as providers of a program, and in a registry, over HTTP with recorded answers of each protocol.

import { describe, expect, it } from "vitest";

import { CancellationToken } from "#facade/phi/cancellation-token.ts";
import { LoopError } from "#facade/phi/loop-error.ts";
import { providerIds } from "#facade/phi/provider/api-protocol.ts";
import { ModelConfig } from "#facade/phi/provider/model-config.ts";
import { modelsOf } from "#facade/phi/provider/models-of.ts";
import {
  anthropicProvider,
  azureOpenaiProvider,
  bedrockProvider,
  googleProvider,
  googleVertexProvider,
  openaiCompatProvider,
  openaiResponsesProvider,
  profileProvider,
} from "#facade/phi/provider/profile-provider.ts";
import { ProviderError } from "#facade/phi/provider/provider-error.ts";
import { ProviderRegistry } from "#facade/phi/provider/provider-registry.ts";
import { toModelPort } from "#facade/phi/provider/to-model-port.ts";

import { grammarFaults } from "../../models/grammar.ts";
import {
  answerOf,
  collector,
  key,
  modelRequest,
  partsOf,
  protocolNames,
  serveModels,
  streamConfig,
} from "./support/served-models.ts";

const server = serveModels();

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
}

describe.each(protocolNames)("%s", (api) => {
  it("A provider sends the events of a recorded text, and resolves with the message that its event `Done` has", async () => {
    const { events, send } = collector();
    const config = streamConfig(server.config(api, "case:text"));
    const message = await profileProvider(api).stream(config, { send }, new CancellationToken());
    expect(message).toMatchObject({
      role: "assistant",
      content: [{ type: "text", text: "Hello there, how can I help?" }],
      stop_reason: "stop",
      provider: providerIds[api],
      model: "case:text",
      usage: { input: 12, output: 8, total_tokens: 20 },
    });
    expect(events[0]).toEqual({ type: "Start" });
    expect(events.at(-1)).toEqual({ type: "Done", message });
    const deltas = events.flatMap((event) => (event.type === "TextDelta" ? [event] : []));
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.map(({ delta }) => delta).join("")).toBe("Hello there, how can I help?");
    expect(new Set(deltas.map(({ content_index }) => content_index))).toEqual(new Set([0]));
    const [sent, ...others] = await server.received();
    expect(others).toEqual([]);
    expect(JSON.stringify(sent?.body)).toContain("Be brief.");
    expect(JSON.stringify(sent?.body)).toContain("get_weather");
  });

  it("A provider sends the start, the pieces and the end of a recorded call, whose id and arguments are those of the message (REQ-160)", async () => {
    const { events, send } = collector();
    const config = streamConfig(server.config(api, "case:text-then-call"));
    const message = await profileProvider(api).stream(config, { send }, new CancellationToken());
    const at = message.content.findIndex(({ type }) => type === "toolCall");
    const call = message.content[at];
    if (call?.type !== "toolCall") throw new Error("no call");
    expect(message.stop_reason).toBe("toolUse");
    const ofCall = events.filter((event) => "content_index" in event && event.content_index === at);
    expect(ofCall[0]).toEqual({ type: "ToolCallStart", content_index: at, id: call.id, name: call.name });
    expect(ofCall.at(-1)).toEqual({ type: "ToolCallEnd", content_index: at });
    const pieces = ofCall.map((event) => ("delta" in event ? event.delta : "")).join("");
    expect(JSON.parse(pieces)).toEqual(call.arguments);
  });

  it("A recorded answer has the same blocks and the same end by the port of a loop, and by its provider converted to a port", async () => {
    for (const name of [
      "text",
      "tool-call",
      "parallel-calls",
      "text-then-call",
      "empty-arguments",
      "cached-tokens",
      "thinking",
    ]) {
      const model_config = server.config(api, `case:${name}`);
      const { port, model } = modelsOf({ modelConfig: model_config });
      const own = await partsOf(port, modelRequest(model));
      const converted = await partsOf(toModelPort(profileProvider(api), { model_config }), modelRequest(model));
      expect(grammarFaults(converted)).toEqual([]);
      const { blocks, end } = answerOf(converted);
      const expected = answerOf(own);
      expect(blocks).toEqual(expected.blocks);
      if (end?.type !== "finish" || expected.end?.type !== "finish") throw new Error(`${name}: ${JSON.stringify(end)}`);
      const { stop_reason, usage } = expected.end;
      expect(end).toMatchObject({ stop_reason, usage });
    }
  });

  it("A provider keeps the opaque data of a recorded answer with thinking and a call, so that the next request returns it", async () => {
    // Chat Completions have no thinking before a call among their recordings.
    const isChat = api === "openai_completions";
    const config = server.config(api, `case:${isChat ? "tool-call" : "thinking-then-call"}|text`);
    const first = streamConfig(config);
    const provider = profileProvider(api);
    const answer = await provider.stream(first, collector(), new CancellationToken());
    const restored = JSON.parse(JSON.stringify(answer)) as typeof answer;
    const results = answer.content.flatMap((block) =>
      block.type === "toolCall"
        ? [
            {
              role: "toolResult" as const,
              tool_call_id: block.id,
              tool_name: block.name,
              content: [{ type: "text" as const, text: "sunny" }],
              is_error: false,
              timestamp: 2,
            },
          ]
        : [],
    );
    const second = streamConfig(config, { messages: [...first.messages, restored, ...results] });
    await provider.stream(second, collector(), new CancellationToken());
    const [, sent] = await server.received();
    const body = JSON.stringify(sent?.body);
    expect(body).toContain("sunny");
    for (const { provider_data } of answer.content as { provider_data?: { data: object } }[]) {
      const values = Object.values(provider_data?.data ?? {}).flatMap((data) => Object.values(data as object));
      for (const value of values) if (typeof value === "string" && value.length > 20) expect(body).toContain(value);
    }
  });

  it("A refused request rejects with the variant of its status, after the event `Error` with the same text (REQ-075)", async () => {
    const cases = {
      "rate-limit": "RateLimited",
      auth: "Auth",
      overflow: "ContextOverflow",
      "empty-body": "ContextOverflow",
      "bad-request": "Api",
      unavailable: "Network",
    };
    for (const [name, kind] of Object.entries(cases)) {
      const { events, send } = collector();
      const config = streamConfig(server.config(api, `case:${name}`));
      const thrown = await rejection(profileProvider(api).stream(config, { send }, new CancellationToken()));
      if (!(thrown instanceof ProviderError)) throw new Error(`${name}: ${String(thrown)}`);
      expect([name, thrown.kind]).toEqual([name, kind]);
      expect(thrown.isRetryable()).toBe(kind === "RateLimited" || kind === "Network");
      const last = events.at(-1);
      expect(last).toMatchObject({ type: "Error", message: { stop_reason: "error", error_message: thrown.message } });
    }
  });

  it("An answer that breaks off rejects with `Network`, and its event `Error` has the text that arrived", async () => {
    const { events, send } = collector();
    const config = streamConfig(server.config(api, "case:cut"));
    const thrown = await rejection(profileProvider(api).stream(config, { send }, new CancellationToken()));
    expect(thrown).toMatchObject({ kind: "Network" });
    const last = events.at(-1);
    if (last?.type !== "Error") throw new Error(JSON.stringify(last));
    expect(last.message.content.map((block) => (block.type === "text" ? block.text.trim() : block.type))).toEqual([
      "The answer begins but",
    ]);
  });

  it("A cancelled request rejects with `Cancelled`, and the provider sees the connection close", async () => {
    const config = server.config(api, "case:text", { headers: { "x-server-hold": "900" } });
    const cancel = new CancellationToken();
    const { events, send } = collector();
    const stop = (event: Parameters<typeof send>[0]): void => {
      send(event);
      if (event.type === "TextDelta") cancel.cancel();
    };
    const thrown = await rejection(profileProvider(api).stream(streamConfig(config), { send: stop }, cancel));
    expect(thrown).toMatchObject({ kind: "Cancelled" });
    expect(events.at(-1)).toMatchObject({ type: "Error", message: { stop_reason: "aborted" } });
  });

  it("A registry answers a request with the provider of its protocol, and its key appears in no event and no error", async () => {
    const registry = ProviderRegistry.default();
    const { events, send } = collector();
    const config = server.config(api, "case:tool-call|auth");
    const message = await registry.stream(streamConfig(config), { send }, new CancellationToken());
    expect(message.provider).toBe(providerIds[api]);
    const thrown = await rejection(registry.stream(streamConfig(config), { send }, new CancellationToken()));
    expect(thrown).toMatchObject({ kind: "Auth" });
    expect(JSON.stringify([events, message, thrown, String(thrown), (thrown as Error).stack])).not.toContain(key);
    const [sent] = await server.received();
    expect(JSON.stringify([sent?.headers, sent?.path])).toContain(key);
  });
});

it.each([
  ["anthropic_messages", "redacted-thinking"],
  ["anthropic_messages", "refusal"],
  ["anthropic_messages", "thinking-then-call"],
  ["openai_responses", "hidden-thinking"],
  ["openai_completions", "filtered"],
  ["openai_completions", "broken-arguments"],
  ["google_generative_ai", "text-and-picture"],
  ["google_generative_ai", "thinking-then-call"],
  ["google_generative_ai", "blocked"],
  ["bedrock_converse_stream", "redacted-thinking"],
] as const)(
  "The recorded answer of %s with %s is the same by the port of a loop, and by its provider converted to a port",
  async (api, name) => {
    const model_config = server.config(api, `case:${name}`);
    const { port, model } = modelsOf({ modelConfig: model_config });
    const own = answerOf(await partsOf(port, modelRequest(model)));
    const converted = answerOf(await partsOf(toModelPort(profileProvider(api), { model_config }), modelRequest(model)));
    expect(converted.blocks).toEqual(own.blocks);
    if (own.end?.type !== "finish") throw new Error(JSON.stringify(own.end));
    const { stop_reason, stop_detail, usage } = own.end;
    expect(converted.end).toMatchObject({ stop_reason, usage, ...(stop_detail === undefined ? {} : { stop_detail }) });
  },
);

it.each([
  ["google_generative_ai", "google-fc"],
  ["google_vertex", "vertex-fc"],
] as const)(
  "The calls of an answer of %s without ids have the prefix %s and a number from 0 (REQ-120, REQ-121)",
  async (api, prefix) => {
    const config = streamConfig(server.config(api, "case:parallel-calls"));
    const { content } = await profileProvider(api).stream(config, collector(), new CancellationToken());
    // A suffix makes the ids unique in a conversation (decision 30).
    const ids = content.flatMap((block) => (block.type === "toolCall" ? [block.id.replace(/_.*/, "")] : []));
    expect(ids).toEqual([`${prefix}-0`, `${prefix}-1`]);
  },
);

it("Each provider has the id of REQ-186", () => {
  const providers = [
    anthropicProvider,
    openaiCompatProvider,
    openaiResponsesProvider,
    azureOpenaiProvider,
    googleProvider,
    googleVertexProvider,
    bedrockProvider,
  ];
  expect(providers.map((create) => create().providerId())).toEqual([
    "anthropic",
    "openai",
    "openai_responses",
    "azure_openai",
    "google",
    "google_vertex",
    "bedrock",
  ]);
  expect(ProviderRegistry.default().protocols()).toEqual(protocolNames);
});

it("A provider refuses a config of another protocol, and a registry one without a provider, by name", async () => {
  const config = streamConfig(ModelConfig.anthropic("m", "M", key));
  const cancel = new CancellationToken();
  const wrong = await rejection(googleProvider().stream(config, collector(), cancel));
  expect(String(wrong)).toContain(
    'The provider "google" uses the protocol google_generative_ai, and `model_config.api` is "anthropic_messages"',
  );
  const missing = await rejection(ProviderRegistry.new().stream(config, collector(), cancel));
  expect(missing).toMatchObject({ kind: "Other", message: "No provider registered for protocol: anthropic_messages" });
  const registry = ProviderRegistry.new().register("anthropic_messages", anthropicProvider());
  expect([registry.has("anthropic_messages"), registry.has("google_vertex")]).toEqual([true, false]);
  expect(() => registry.register("cohere" as never, anthropicProvider())).toThrow(LoopError);
  expect(() => registry.register("google_vertex", { providerId: () => "x" } as never)).toThrow("no function `stream`");
});

it("A loop takes the id and the answers of the provider that its registry has for the protocol", async () => {
  const modelConfig = server.config("google_generative_ai", "case:text");
  const { provider_id, port, model } = modelsOf({ modelConfig, providerOverride: ProviderRegistry.default() });
  expect(provider_id).toBe("google");
  expect((await partsOf(port, modelRequest(model))).at(-1)).toMatchObject({ type: "finish", stop_reason: "stop" });
  expect(() => modelsOf({ modelConfig, providerOverride: ProviderRegistry.new() })).toThrow(
    'no provider for the protocol "google_generative_ai"',
  );
});

it("A loop without a provider of its own loads no code of a provider before its first request", () => {
  const { port, model, provider_id } = modelsOf({ modelConfig: ModelConfig.anthropic("claude-sonnet-4-5", "Claude") });
  expect(provider_id).toBe("anthropic");
  expect(port.thinksInSilence?.(model)).toBe(false);
});
