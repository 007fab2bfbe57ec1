// Providers that a program implements, in a loop: their requests, and the parts that their events and answers become.

import { expect, it } from "vitest";

import type { ModelPart } from "#core/ports/model-port.ts";
import type { ProviderData } from "#core/record/record.ts";
import type { AssistantMessage, Message } from "#facade/phi/loop-messages.ts";
import { modelMessageOf } from "#facade/phi/message-codec.ts";
import { modelsOf } from "#facade/phi/provider/models-of.ts";
import type { StreamConfig, StreamEvent, StreamProvider } from "#facade/phi/provider/stream-provider.ts";
import { deferred } from "#lib/deferred.ts";

import { answer, custom, customConfig, modelsWith, partsWith, text } from "./support/custom-provider.ts";
import { answerOf, key, modelRequest, partsOf } from "./support/served-models.ts";

it("The events of a provider become parts in their order, and the answer completes the text that was sent", async () => {
  const parts = await partsWith(
    custom((_config, tx) => {
      tx.send({ type: "Start" });
      tx.send({ type: "TextDelta", content_index: 0, delta: "Hel" });
      return Promise.resolve(answer(text));
    }),
  );
  expect(parts).toEqual([
    { type: "text_start", index: 0 },
    { type: "text_delta", index: 0, delta: "Hel" },
    { type: "text_delta", index: 0, delta: "lo" },
    { type: "text_end", index: 0 },
    {
      type: "finish",
      stop_reason: "stop",
      usage: { input: 3, output: 2, cache_read: 0, cache_write: 0, total_tokens: 5 },
      reported_cost: null,
      model_id: "m-1",
    },
  ]);
});

it("Parts arrive while the provider still works", async () => {
  const end = deferred<AssistantMessage>();
  const { port, model } = modelsWith(
    custom((_config, tx) => {
      tx.send({ type: "TextDelta", content_index: 0, delta: "Hello" });
      return end.promise;
    }),
  );
  const stream = port.stream(modelRequest(model), new AbortController().signal)[Symbol.asyncIterator]();
  expect((await stream.next()).value).toEqual({ type: "text_start", index: 0 });
  expect((await stream.next()).value).toEqual({ type: "text_delta", index: 0, delta: "Hello" });
  end.resolve(answer(text));
  expect((await stream.next()).value).toEqual({ type: "text_end", index: 0 });
});

it("The answer without events has the same blocks as the answer with all of them", async () => {
  const content: AssistantMessage["content"] = [
    { type: "thinking", thinking: "Hm.", signature: "signature-1" },
    { type: "text", text: "I look." },
    { type: "image", data: "AAAA", mime_type: "image/png" },
    { type: "toolCall", id: "a", name: "get_weather", arguments: { city: "Oslo" } },
    { type: "toolCall", id: "b", name: "get_time", arguments: {} },
  ];
  const silent = await partsWith(custom(() => Promise.resolve(answer(content))));
  const events: StreamEvent[] = [
    { type: "Start" },
    { type: "ToolCallStart", content_index: 3, id: "x", name: "?" },
    { type: "ThinkingDelta", content_index: 0, delta: "H" },
    { type: "TextDelta", content_index: 1, delta: "I " },
    { type: "ThinkingDelta", content_index: 0, delta: "m." },
    { type: "ToolCallDelta", content_index: 3, delta: '{"city":' },
    { type: "TextDelta", content_index: 1, delta: "look." },
    { type: "ToolCallDelta", content_index: 3, delta: '"Oslo"}' },
    { type: "ToolCallEnd", content_index: 3 },
    { type: "ToolCallStart", content_index: 4, id: "b", name: "get_time" },
    { type: "ToolCallEnd", content_index: 4 },
    { type: "Done", message: answer(content) },
  ];
  const sent = await partsWith(
    custom((_config, tx) => {
      for (const event of events) tx.send(event);
      return Promise.resolve(answer(content));
    }),
  );
  expect(answerOf(sent)).toEqual(answerOf(silent));
  expect(answerOf(silent).blocks).toMatchObject([
    { type: "thinking_end", text: "Hm.", provider_data: { provider: "custom" } },
    { type: "text_end", text: "I look." },
    { type: "media_end", text: "AAAA" },
    { type: "toolcall_end", id: "a", arguments: '{"city":"Oslo"}' },
    { type: "toolcall_end", id: "b", arguments: "{}" },
  ]);
});

it("The signature of thinking returns to the provider that sent it, in the message of a later request", async () => {
  const received: StreamConfig[] = [];
  const content: AssistantMessage["content"] = [{ type: "thinking", thinking: "Hm.", signature: "signature-1" }];
  const { port, model } = modelsWith(
    custom((config) => {
      received.push(config);
      return Promise.resolve(answer(content));
    }),
  );
  const { blocks } = answerOf(await partsOf(port, modelRequest(model)));
  const [{ provider_data } = {}] = blocks as { provider_data?: ProviderData }[];
  const part = {
    type: "thinking" as const,
    thinking: "Hm.",
    ...(provider_data === undefined ? {} : { provider_data }),
  };
  const none = { id: null, name: null, tool_call_id: null, result: null };
  await partsOf(port, modelRequest(model, { messages: [{ ...none, role: "assistant", parts: [part] }] }));
  expect(received[1]?.messages[0]?.content).toMatchObject(content);
});

it("A provider receives the times, the token counts and the model of earlier messages, in objects of its own", async () => {
  const received: StreamConfig[] = [];
  const { port, model } = modelsWith(
    custom((config) => {
      received.push(config);
      return Promise.resolve(answer(text));
    }),
  );
  const earlier: Message[] = [
    { role: "user", content: [{ type: "text", text: "Hi" }], timestamp: 11 },
    answer([{ type: "toolCall", id: "a", name: "t", arguments: {} }], { timestamp: 12, model: "other" }),
    { role: "toolResult", tool_call_id: "a", tool_name: "t", content: text, is_error: true, timestamp: 13 },
  ];
  await partsOf(port, modelRequest(model, { messages: earlier.map(modelMessageOf) }));
  const messages = received[0]?.messages ?? [];
  expect(messages).toEqual(earlier);
  for (const message of messages) message.content.length = 0;
  expect(earlier.map(({ content }) => content.length)).toEqual([1, 1, 1]);
});

it("The answer of the event `Done` counts if the function resolves with nothing", async () => {
  const parts = await partsWith(
    custom((_config, tx) => {
      tx.send({ type: "Done", message: answer(text) });
      return Promise.resolve(undefined as never);
    }),
  );
  expect(answerOf(parts).blocks).toMatchObject([{ type: "text_end", text: "Hello" }]);
});

it("The id of a call that an earlier answer of the conversation has is changed, and any other id is kept", async () => {
  const call = (id: string): AssistantMessage["content"][number] => ({
    type: "toolCall",
    id,
    name: "t",
    arguments: {},
  });
  const provider = custom(() => Promise.resolve(answer([call("a"), call("a"), call("b"), call("")])));
  const { port, model } = modelsWith(provider);
  const idsOf = (parts: ModelPart[]) => parts.flatMap((part) => (part.type === "toolcall_end" ? [part.id] : []));
  const first = idsOf(await partsOf(port, modelRequest(model)));
  const second = idsOf(await partsOf(port, modelRequest(model)));
  expect(new Set([...first, ...second]).size).toBe(8);
  expect([first[0], first[2]]).toEqual(["a", "b"]);
  // A conversation that continues has the ids in its messages.
  const { messages } = modelRequest(model);
  const earlier = {
    id: "m2",
    name: null,
    tool_call_id: null,
    result: null,
    role: "assistant" as const,
    parts: [{ type: "tool_call" as const, id: "b", name: "t", arguments: {} }],
  };
  const later = idsOf(
    await partsOf(modelsWith(provider).port, modelRequest(model, { messages: [...messages, earlier] })),
  );
  expect(later).not.toContain("b");
  expect(later[0]).toBe("a");
});

it("The arguments of the answer count if the pieces that were sent are others", async () => {
  const parts = await partsWith(
    custom((_config, tx) => {
      tx.send({ type: "ToolCallStart", content_index: 0, id: "a", name: "t" });
      tx.send({ type: "ToolCallDelta", content_index: 0, delta: '{"n": 1' });
      return Promise.resolve(answer([{ type: "toolCall", id: "z", name: "u", arguments: { n: 2 } }]));
    }),
  );
  expect(answerOf(parts).blocks).toMatchObject([{ type: "toolcall_end", id: "z", name: "u", arguments: '{"n":2}' }]);
});

it("A call that was cut off is left out of an answer that ended at its limit", async () => {
  const { port, model } = modelsWith(
    custom((_config, tx) => {
      tx.send({ type: "TextDelta", content_index: 0, delta: "Hello" });
      tx.send({ type: "ToolCallStart", content_index: 1, id: "a", name: "t" });
      tx.send({ type: "ToolCallDelta", content_index: 1, delta: '{"n":' });
      return Promise.resolve(answer(text, { stop_reason: "length" }));
    }),
  );
  const { blocks, end } = answerOf(await partsOf(port, modelRequest(model)));
  expect(blocks).toMatchObject([{ type: "text_end", text: "Hello" }]);
  expect(end).toMatchObject({ type: "finish", stop_reason: "length" });
});

it("A provider receives the request with its config, whose key it can read and which no text shows", async () => {
  const received: StreamConfig[] = [];
  const provider = custom((config) => {
    received.push(config);
    return Promise.resolve(answer(text));
  });
  const { port, model, provider_id } = modelsOf({
    modelConfig: customConfig,
    providerOverride: provider,
    thinkingLevel: "High",
    cacheConfig: { enabled: false, strategy: "Auto" },
  });
  await partsOf(port, modelRequest(model, { maxTokens: 7, temperature: 0.5 }));
  await partsOf(port, modelRequest(model, { toolChoice: "none" }));
  expect(provider_id).toBe("custom");
  expect(received[0]).toMatchObject({
    system_prompt: "Be brief.",
    messages: [{ role: "user", content: [{ type: "text", text: "How is the weather?" }] }],
    tools: [{ name: "get_weather" }],
    thinking_level: "High",
    max_tokens: 7,
    temperature: 0.5,
    cache_config: { enabled: false },
  });
  expect(received[1]?.tools).toEqual([]);
  expect(received[0]?.model_config.api_key).toBe(key);
  expect(JSON.stringify(received)).not.toMatch(/vertex-secret|header-secret/);
});

it("A value that is no provider, and a provider without a usable id, are refused before anything is sent", () => {
  const refused = (providerOverride: unknown) => () =>
    modelsOf({ modelConfig: customConfig, providerOverride: providerOverride as StreamProvider });
  expect(refused({})).toThrow("`providerOverride` has no function `providerId`");
  expect(refused({ providerId: () => "x" })).toThrow("`providerOverride` has no function `stream`");
  expect(refused("anthropic")).toThrow("It has to be a StreamProvider");
  const thrower = () => {
    throw new Error("No id.");
  };
  expect(refused({ providerId: thrower, stream: thrower })).toThrow("`providerOverride.providerId()` failed: No id.");
  for (const id of ["", "two words", 3, null, "x".repeat(101)])
    expect(refused({ providerId: () => id, stream: () => undefined })).toThrow("`providerOverride.providerId()`");
});

it("A provider of the program needs neither an address nor a key in the config of its model", async () => {
  const modelConfig = { id: "m-1", name: "M", api: "openai_completions", provider: "mine" } as const;
  expect(() => modelsOf({ modelConfig })).toThrow("`model_config.base_url` is missing");
  const providerOverride = custom(() => Promise.resolve(answer(text)));
  const { port, model } = modelsOf({ modelConfig: { ...modelConfig, api_key: "" }, providerOverride });
  expect(answerOf(await partsOf(port, modelRequest(model))).blocks).toMatchObject([{ text: "Hello" }]);
});
