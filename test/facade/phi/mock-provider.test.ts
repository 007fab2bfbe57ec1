// `MockProvider`: the answers of its list, what it records, and its mistakes.

import { inspect } from "node:util";

import { expect, it } from "vitest";

import { CancellationToken } from "#facade/phi/cancellation-token.ts";
import { MockProvider, type MockResponse } from "#facade/phi/provider/mock-provider.ts";
import { modelsOf } from "#facade/phi/provider/models-of.ts";
import { ProviderError } from "#facade/phi/provider/provider-error.ts";
import type { StreamEvent } from "#facade/phi/provider/stream-provider.ts";
import { deferred } from "#lib/deferred.ts";

import { customConfig } from "./support/custom-provider.ts";
import { collector, modelRequest, partsOf, streamConfig } from "./support/served-models.ts";

/** Requests the next answer of a provider. */
async function next(provider: MockProvider, cancel = new CancellationToken()) {
  const { events, send } = collector();
  const message = await provider.stream(streamConfig(customConfig), { send }, cancel);
  return { events, message };
}

it("The responses are returned in their order, then a text that says that there are no more (REQ-030)", async () => {
  const provider = MockProvider.texts(["One", "Two"]);
  const texts = [];
  for (let at = 0; at < 4; at += 1) texts.push((await next(provider)).message.content);
  expect(texts).toEqual(
    ["One", "Two", "(no more mock responses)", "(no more mock responses)"].map((text) => [{ type: "text", text }]),
  );
  const { message, events } = await next(MockProvider.text("Hello"));
  expect(message).toMatchObject({
    role: "assistant",
    stop_reason: "stop",
    model: "mock",
    provider: "mock",
    usage: { input: 0, output: 0, total_tokens: 0 },
  });
  expect(events).toEqual([
    { type: "Start" },
    { type: "TextDelta", content_index: 0, delta: "Hello" },
    { type: "Done", message },
  ]);
  expect(provider.providerId()).toBe("mock");
});

it("A strict provider fails a request after its last response, with both numbers", async () => {
  const provider = new MockProvider(["One"], { strict: true });
  await next(provider);
  await expect(next(provider)).rejects.toMatchObject({
    kind: "Other",
    message: "MockProvider has 1 responses, and received request 2. Add a response.",
  });
});

it("An answer has its thinking, its deltas, its calls and its token counts", async () => {
  const { message, events } = await next(
    new MockProvider([
      {
        thinking: "Hm.",
        text: ["I ", "look."],
        tool_calls: [
          { name: "a", arguments: { n: 1 } },
          { name: "b", arguments: {}, id: "call-b" },
        ],
        usage: { input: 10, output: 5 },
      },
    ]),
  );
  expect(message).toMatchObject({
    stop_reason: "toolUse",
    content: [
      { type: "thinking", thinking: "Hm." },
      { type: "text", text: "I look." },
      { type: "toolCall", id: "mock-tool-0", name: "a", arguments: { n: 1 } },
      { type: "toolCall", id: "call-b", name: "b", arguments: {} },
    ],
    usage: { input: 10, output: 5, cache_read: 0, cache_write: 0, total_tokens: 15 },
  });
  const shown = (event: StreamEvent) => [event.type, "content_index" in event ? event.content_index : null];
  expect(events.map(shown)).toEqual([
    ["Start", null],
    ["ThinkingDelta", 0],
    ["TextDelta", 1],
    ["TextDelta", 1],
    ["ToolCallStart", 2],
    ["ToolCallEnd", 2],
    ["ToolCallStart", 3],
    ["ToolCallEnd", 3],
    ["Done", null],
  ]);
});

it("A response may be an error, an error after some text, or a function of the request", async () => {
  const provider = new MockProvider([
    ProviderError.rateLimited(5),
    { text: "Par", error: ProviderError.network("Broken.") },
    ({ messages }) => `${messages.length} messages`,
  ]);
  await expect(next(provider)).rejects.toMatchObject({ kind: "RateLimited", retry_after_ms: 5 });
  const { events, send } = collector();
  const broken = provider.stream(streamConfig(customConfig), { send }, new CancellationToken());
  await expect(broken).rejects.toMatchObject({ kind: "Network" });
  expect(events.at(-1)).toEqual({ type: "TextDelta", content_index: 0, delta: "Par" });
  expect((await next(provider)).message.content).toEqual([{ type: "text", text: "1 messages" }]);
});

it("An answer waits for the promises of a test before its first event and before its end, and a cancelled one ends at once", async () => {
  const [begin, end] = [deferred<void>(), deferred<void>()];
  const response: MockResponse = { text: "Hello", begins_after: begin.promise, ends_after: end.promise };
  const { events, send } = collector();
  const sent = deferred<void>();
  const tx = {
    send(event: StreamEvent) {
      send(event);
      if (event.type === "TextDelta") sent.resolve();
    },
  };
  const running = new MockProvider([response]).stream(streamConfig(customConfig), tx, new CancellationToken());
  expect(events).toEqual([]);
  begin.resolve();
  await sent.promise;
  expect(events.map(({ type }) => type)).toEqual(["Start", "TextDelta"]);
  end.resolve();
  expect((await running).stop_reason).toBe("stop");
  for (const name of ["begins_after", "ends_after"]) {
    const cancel = new CancellationToken();
    const waiting = next(new MockProvider([{ text: "Hello", [name]: new Promise(() => undefined) }]), cancel);
    cancel.cancel();
    await expect(waiting).rejects.toMatchObject({ kind: "Cancelled" });
  }
});

it("The received requests are recorded as they were, without keys", async () => {
  const provider = new MockProvider([]);
  const config = streamConfig(customConfig);
  await provider.stream(config, collector(), new CancellationToken());
  config.messages.length = 0;
  const [recorded] = provider.requests;
  expect(recorded?.messages).toMatchObject([{ role: "user" }]);
  expect(recorded?.model_config).toMatchObject({ id: "m-1", api: "anthropic_messages" });
  expect(recorded?.model_config.api_key).toBeUndefined();
  expect(inspect(provider.requests, { depth: 9 }) + inspect(provider, { depth: 9, showHidden: true })).not.toMatch(
    /vertex-secret|header-secret/,
  );
});

it("A response with an unknown field, of an unknown type, and an unknown option are refused by name", async () => {
  expect(() => new MockProvider([{ txt: "Hello" } as never])).toThrow("There is no field `txt` of responses[0].");
  expect(() => new MockProvider(["a", 5 as never])).toThrow("responses[1] has to be a text, an answer,");
  expect(() => new MockProvider([], { strickt: true } as never)).toThrow(
    "There is no option `strickt` of MockProvider.",
  );
  await expect(next(new MockProvider([() => 5 as never]))).rejects.toThrow("the result of responses[0] has to be");
});

it("A loop receives the answers of a MockProvider, and the ids of calls differ between its answers", async () => {
  const call = { tool_calls: [{ name: "get_weather", arguments: { city: "Oslo" } }] };
  const provider = new MockProvider([call, call]);
  const { port, model, provider_id } = modelsOf({ modelConfig: customConfig, providerOverride: provider });
  expect(provider_id).toBe("mock");
  const ids = [];
  for (let at = 0; at < 2; at += 1) {
    const parts = await partsOf(port, modelRequest(model));
    ids.push(...parts.flatMap((part) => (part.type === "toolcall_end" ? [part.id] : [])));
  }
  expect(ids[0]).toBe("mock-tool-0");
  expect(new Set(ids).size).toBe(2);
});
